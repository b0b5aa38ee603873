import Glibc

/// The settings of all profiles of one person, in `config.toml` beside them: lines of `key = value`, which are TOML.
struct Config: Equatable {
  /// What can be set.
  enum Key: String, CaseIterable {
    case backgroundSync = "background-sync"

    /// What it is for, in a few words.
    var meaning: String {
      switch self {
      case .backgroundSync: "sync after changes, and when something is shown"
      }
    }
  }

  /// Whether the program syncs by itself.
  var backgroundSync = true

  /// Reads the text of a file. What it does not know is an error: a setting that is silently ignored is worse than none.
  init(text: String = "", path: String = "config.toml") throws(Complaint) {
    var seen: Set<Key> = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      guard let (name, value) = try Self.setting(line, at: "line \(index + 1) of \(path)") else { continue }
      guard let key = Key(rawValue: name) else { throw .unknownSetting(name, at: "line \(index + 1) of \(path)") }
      guard seen.insert(key).inserted else {
        throw .config("'\(name)' stands there twice", at: "line \(index + 1) of \(path)")
      }
      switch key {
      case .backgroundSync: backgroundSync = value
      }
    }
  }

  /// Whether a setting is on.
  subscript(key: Key) -> Bool {
    switch key {
    case .backgroundSync: backgroundSync
    }
  }

  /// The text of a file with a setting changed; everything else in it stays as somebody wrote it.
  static func text(_ text: String, setting key: Key, to value: Bool) -> String {
    let setting = "\(key.rawValue) = \(value)"
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let index = lines.firstIndex { (try? Self.setting($0[...], at: ""))?.name == key.rawValue }
    if let index { lines[index] = setting } else { lines.append(setting) }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Nil for an empty line and a comment.
  private static func setting(_ line: Substring, at place: String) throws(Complaint) -> (name: String, value: Bool)? {
    let content = trimmed(line.prefix { $0 != "#" })
    if content.isEmpty { return nil }
    let parts = content.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map { trimmed($0) }
    guard parts.count == 2 else { throw .config("this is no setting", at: place) }
    switch parts[1] {
    case "true": return (parts[0], true)
    case "false": return (parts[0], false)
    default: throw .config("'\(Complaint.shortened(parts[0]))' is neither true nor false", at: place)
    }
  }

  private static func trimmed(_ text: some StringProtocol) -> String {
    let tail = text.drop(while: \.isWhitespace)
    return tail.lastIndex { !$0.isWhitespace }.map { String(tail[...$0]) } ?? ""
  }
}

extension Complaint {
  static func config(_ message: String, at place: String) -> Complaint {
    Complaint("config", .badData, "\(place): \(message)", hint: "correct the line, or remove it")
  }

  static func unknownSetting(_ name: String, at place: String?) -> Complaint {
    let names = Config.Key.allCases.map(\.rawValue)
    return Complaint(
      "unknown_setting", place == nil ? .usage : .badData,
      "\(place.map { "\($0): " } ?? "")there is no setting '\(shortened(name))'",
      hint: "there is: \(names.joined(separator: ", "))", candidates: names)
  }
}
