import CloudAPI
import Signing
import Testing

/// What a hostile server tampers with.
enum RecordKind: String, CaseIterable, Sendable {
  case keyring, permissions, header, tombstone, content, log, head, answer, message, invitation, code, transfer
}

/// One way of lying: what it fits, and how it must end for each.
struct Operator: Sendable {
  let name: String
  /// The check that it meets first; nil where there is nothing to check, because nothing false can come of it.
  let defence: Defence?
  let fits: [(record: RecordKind, end: Expectation)]
  /// Lets people act on the scene, and prepares the lie.
  let play: @Sendable (Scene, RecordKind) async throws -> Void

  init(
    _ name: String, _ defence: Defence?, _ fits: KeyValuePairs<RecordKind, Expectation>,
    _ play: @escaping @Sendable (Scene, RecordKind) async throws -> Void
  ) {
    self.name = name
    self.defence = defence
    self.fits = fits.map { ($0.key, $0.value) }
    self.play = play
  }
}

/// How a lie must end.
struct Expectation: Sendable {
  /// What the client says of it; nil where it has nothing to say.
  let complaint: Complaint?
  let during: Shown
  let after: Aftermath

  /// What the client shows while the server lies.
  enum Shown: String, Sendable {
    /// What it showed before.
    case before = "what it had"
    /// What it would show if the server were honest.
    case honest = "what is true"
    /// Some of both, and nothing else.
    case between = "part of what is true"
  }

  /// What becomes of it when the server is honest again.
  enum Aftermath: String, Sendable {
    /// Nothing is left to report, and the client shows what is true.
    case recovers = "recovers"
    /// The same, once somebody writes the next version of what it was about.
    case mends = "recovers with the next version"
    /// The report stays, and the client shows what is true.
    case reports = "keeps the report"
    /// The client has read another history than the others: that is reported from now on, and no other branch is touched.
    case forks = "reports a fork from now on"
    /// There never was such a list.
    case isDenied = "says that there is no such list"
  }

  /// The branch is read no further.
  static func stops(
    _ reason: Refusal, _ after: Aftermath = .recovers, showing during: Shown = .before
  ) -> Expectation {
    Expectation(complaint: .stops(reason), during: during, after: after)
  }

  /// The row is kept apart, and what follows is read.
  static func setsAside(_ reason: Refusal, _ after: Aftermath) -> Expectation {
    Expectation(complaint: .setsAside(reason), during: .between, after: after)
  }

  /// The sync ends with an error.
  static func ends(_ failure: CloudFailure) -> Expectation {
    Expectation(complaint: .ends("\(failure)"), during: .between, after: .recovers)
  }

  /// What was asked for is refused.
  static func refuses(_ reason: Refusal) -> Expectation {
    Expectation(complaint: .refuses(reason), during: .before, after: .recovers)
  }

  static func harmless(_ during: Shown, _ after: Aftermath = .recovers) -> Expectation {
    Expectation(complaint: nil, during: during, after: after)
  }
}

/// What a client says of what it met.
enum Complaint: Hashable, Sendable, CustomStringConvertible {
  case stops(Refusal)
  case setsAside(Refusal)
  case ends(String)
  case refuses(Refusal)
  /// A change of one's own is kept as refused.
  case keepsChange(Refusal)

  /// Why a branch is read no further; nil where it is.
  var stops: Refusal? { if case .stops(let reason) = self { reason } else { nil } }

  var description: String {
    switch self {
    case .stops(let reason): "branch in trouble: `\(reason.rawValue)`"
    case .setsAside(let reason): "quarantine: `\(reason.rawValue)`"
    case .ends(let failure): "sync ends: `\(failure)`"
    case .refuses(let reason): "refused: `\(reason.rawValue)`"
    case .keepsChange(let reason): "change kept as refused: `\(reason.rawValue)`"
    }
  }
}

/// An operator and one kind of record that it fits.
struct HostileCase: Sendable, CustomTestStringConvertible {
  let lie: Operator
  let record: RecordKind
  let end: Expectation

  var testDescription: String { "\(record.rawValue): \(lie.name)" }

  /// A row of docs/hostile-server.md.
  var row: [String] {
    [record.rawValue, lie.name, end.complaint?.description ?? "nothing", end.during.rawValue, end.after.rawValue]
  }
}
