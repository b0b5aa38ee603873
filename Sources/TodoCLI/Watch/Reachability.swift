/// What somebody who watches has been told about the way to the server: each change of it once.
struct Reachability {
  private enum Trouble: Equatable {
    /// It owes an answer; so many had come when that was told.
    case silent(answers: Int)
    case gone
  }

  /// From when on a server is called silent.
  static let patience = Duration.seconds(5)

  private var trouble: Trouble?

  /// Whether trying to sync makes no sense.
  var isGone: Bool { trouble == .gone }

  /// There is no way to it. Returns what to say.
  mutating func lose() -> String? {
    defer { trouble = .gone }
    return trouble == nil ? "the server cannot be reached, trying again until it can" : nil
  }

  /// It is heard again. Returns what to say.
  mutating func find() -> String? {
    defer { trouble = nil }
    return trouble == nil ? nil : "the server is there again"
  }

  /// A look at what is owed and has come. Returns what to say.
  mutating func look(silence: Duration, answers: Int) -> String? {
    switch trouble {
    case .none where silence >= Self.patience:
      trouble = .silent(answers: answers)
      return "the server does not answer, waiting for it"
    case .silent(let before) where answers > before && silence < Self.patience: return find()
    default: return nil
    }
  }
}
