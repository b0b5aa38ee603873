import Sharing
import Signing
import TodoCore
import Treesystem

/// A contradiction in what the server showed, in words and with the names that people know.
struct NamedFinding {
  let finding: Finding
  /// Nil: the account itself, or a list that is no longer here.
  let list: String?
  /// What it is of, in words.
  let place: String
  /// Who signed what was read here, and who the other: `bob's device 1a2b3c4d`.
  let knownBy: SignedBy?
  let toldBy: SignedBy?
  /// Who is back by what the server has.
  var comebacks: [NamedComeback] = []

  /// Somebody's device.
  struct SignedBy {
    let signer: Finding.Signer
    /// Not safe for a terminal.
    let name: String
    let isOneself: Bool

    var device: String { String(signer.device.description.prefix(8)) }
    var words: String { isOneself ? "your device \(device)" : "\(name)'s device \(device)" }

    var json: JSON {
      [
        "user": .string(signer.user.description), "name": .string(name),
        "device": .string(signer.device.description),
      ]
    }
  }

  var isOver: Bool { finding.ended != nil }

  /// What happened, and what to do about it.
  var explanation: Explanation {
    if let ended = finding.ended {
      return Explanation("\(what), until \(localTime(ended))", "put this aside: \(forget)")
    }
    switch finding.kind {
    case .rollback:
      return Explanation(
        what,
        advice: comebacks.map(\.warning) + [
          "nothing here is lost: what you have read stays, and what you change waits",
          "give the server back what it lost: todo doctor --repair-server",
          "or ask whoever runs the server what happened; once you know: \(forget)",
        ])
    case .fork where !comebacks.isEmpty:
      return Explanation(
        what,
        advice: comebacks.map(\.warning) + [
          "nothing more of it is read or sent, and nothing here is lost; ask whoever runs the server what happened",
          "\(Explanation.startAgain); what you may undo of that is undone with the first sync then",
          "once you know: \(forget)",
        ])
    case .fork where toldBy != nil, .omission where toldBy != nil:
      let whom =
        toldBy.map { $0.isOneself ? "compare with that device of yours" : "ask \($0.name)" } ?? "ask the others"
      return Explanation(
        what, "nothing more of it is read or sent, and nothing here is lost",
        "\(whom), not through this server, what is on \(place) there",
        "to go on with what the server shows here: \(forget)")
    case .fork:
      return Explanation(
        what, "ask whoever runs the server what happened; once you know: \(forget)", Explanation.startAgain)
    case .omission where isOwnChange:
      return Explanation(
        what, "nothing is lost: a change goes once more with the next sync, and what you had deleted is here again",
        "put this aside: \(forget)")
    case .omission:
      return Explanation(what, "fetch it again: todo doctor --repair", "if it stays, ask whoever runs the server")
    }
  }

  private var isOwnChange: Bool { toldBy == nil && knownBy?.isOneself == true }
  private var forget: String { "todo doctor --forget \(finding.number)" }

  /// Half a sentence.
  private var what: String {
    let line = finding.line
    switch finding.kind {
    case .rollback:
      return "the server had more than it shows now, from line \(line) on: it was set back to a backup, or hides it"
    case .fork:
      guard let toldBy else { return "the server has shown two pasts of it, which differ since line \(line)" }
      return "the server shows \(toldBy.words) another past than you, which differs since line \(line) or before"
    case .omission:
      if let toldBy { return "\(toldBy.words) has read line \(line), which the server does not show you" }
      if isOwnChange { return "the server had taken a change of yours as line \(line), and has it no more" }
      return "the server keeps line \(line) back"
    }
  }

  var json: JSON {
    .object(
      [
        .init(key: "number", value: .int(finding.number)), .init(key: "kind", value: .string(finding.kind.rawValue)),
        .init(key: "list", value: .text(list)), .init(key: "branch", value: .string(finding.branch.description)),
        .init(key: "line", value: .int(Int64(clamping: finding.line))),
        .init(key: "here", value: .text(finding.known.map { "\($0)" })),
        .init(key: "there", value: .string("\(finding.told)")),
        .init(key: "here_by", value: knownBy?.json ?? .null), .init(key: "there_by", value: toldBy?.json ?? .null),
        .init(key: "first_seen_at", value: .time(finding.firstSeen)),
        .init(key: "last_seen_at", value: .time(finding.lastSeen)), .init(key: "ended_at", value: .time(finding.ended)),
      ] + explanation.members)
  }
}

extension CloudTransaction {
  /// What the server showed that cannot all be true, the first first.
  func namedFindings() throws -> [NamedFinding] {
    let found = try findings()
    guard !found.isEmpty else { return [] }
    let (known, me) = (try self.lists(), try account()?.user)
    func named(_ signer: Finding.Signer?) throws -> NamedFinding.SignedBy? {
      try signer.map { .init(signer: $0, name: try displayName(of: $0.user), isOneself: $0.user == me) }
    }
    let back = try namedComebacks()
    return try found.map { finding in
      let branch = try branch(finding.branch)
      let list = known.first { $0.branch == branch }?.name
      return NamedFinding(
        finding: finding, list: list, place: try list ?? nameOfOther(branch), knownBy: try named(finding.knownBy),
        toldBy: try named(finding.toldBy), comebacks: back.filter { $0.comeback.branch == finding.branch })
    }
  }
}
