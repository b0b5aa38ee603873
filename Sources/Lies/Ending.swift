package import CloudAPI

/// How a lie must end.
package struct Ending: Sendable {
  /// What the client says of it; nil where it has nothing to say.
  package let complaint: Complaint?
  package let during: Shown
  package let after: Aftermath

  package init(complaint: Complaint?, during: Shown, after: Aftermath) {
    self.complaint = complaint
    self.during = during
    self.after = after
  }

  /// What the client shows while the server lies.
  package enum Shown: String, Sendable {
    /// What it showed before.
    case before = "what it had"
    /// What it would show if the server were honest.
    case honest = "what is true"
    /// Some of both, and nothing else.
    case between = "part of what is true"
  }

  /// What becomes of it when the server is honest again.
  package enum Aftermath: String, Sendable {
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

  /// Everything that the client may say of it, then and later.
  package var complaints: Set<Complaint> {
    var all = Set([complaint].compactMap { $0 })
    if after == .forks { all.insert(.stops(.fork)) }
    return all
  }

  /// The branch is read no further.
  package static func stops(
    _ reason: Refusal, _ after: Aftermath = .recovers, showing during: Shown = .before
  ) -> Ending {
    Ending(complaint: .stops(reason), during: during, after: after)
  }

  /// The row is kept apart, and what follows is read.
  package static func setsAside(_ reason: Refusal, _ after: Aftermath) -> Ending {
    Ending(complaint: .setsAside(reason), during: .between, after: after)
  }

  /// The sync ends with an error.
  package static func ends(_ failure: CloudFailure) -> Ending {
    Ending(complaint: .ends("\(failure)"), during: .between, after: .recovers)
  }

  /// What was asked for fails.
  package static func fails(_ failure: String, _ after: Aftermath) -> Ending {
    Ending(complaint: .fails(failure), during: .before, after: after)
  }

  /// What was asked for is refused.
  package static func refuses(_ reason: Refusal) -> Ending {
    Ending(complaint: .refuses(reason), during: .before, after: .recovers)
  }

  package static func harmless(_ during: Shown, _ after: Aftermath = .recovers) -> Ending {
    Ending(complaint: nil, during: during, after: after)
  }
}

/// What a client says of what it met.
package enum Complaint: Hashable, Sendable, CustomStringConvertible {
  case stops(Refusal)
  case setsAside(Refusal)
  case ends(String)
  case refuses(Refusal)
  /// What was asked for fails, in the words of what fails.
  case fails(String)
  /// A change of one's own is kept as refused.
  case keepsChange(Refusal)

  /// Why a branch is read no further; nil where it is.
  package var stops: Refusal? { if case .stops(let reason) = self { reason } else { nil } }

  package var description: String {
    switch self {
    case .stops(let reason): "branch in trouble: `\(reason.rawValue)`"
    case .setsAside(let reason): "quarantine: `\(reason.rawValue)`"
    case .ends(let failure): "sync ends: `\(failure)`"
    case .refuses(let reason): "refused: `\(reason.rawValue)`"
    case .fails(let failure): "fails: `\(failure)`"
    case .keepsChange(let reason): "change kept as refused: `\(reason.rawValue)`"
    }
  }
}
