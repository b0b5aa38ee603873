import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// Somebody who is back on a list by a past that a server shows, in words and with the names that people know.
struct NamedComeback {
  let comeback: Comeback
  let list: String
  /// Whether it is about who may write to this user.
  let isInbox: Bool
  /// Not safe for a terminal.
  let name: String
  /// Who had decided otherwise, or who did it.
  let by: String

  /// `mallory, whom you had removed, is an editor again`
  var words: String {
    if comeback.isOwner { return "\(name), who had given it away, is its owner again" }
    if isInbox { return "\(name), whom \(by) had blocked, can write to you again" }
    let role = Self.role(comeback.letters)
    if comeback.isNew { return "\(name) is \(role): \(by) did that, who might not do it any more" }
    let before = comeback.before.contains(.read) ? "made \(Self.role(comeback.before))" : "removed"
    return "\(name), whom \(by) had \(before), is \(role) again"
  }

  /// What is done about it, or is to be done.
  var remedy: String {
    if comeback.isQueued { return "that is taken back with the next sync" }
    if comeback.isOwner { return "ask them to give it back; until then they decide who is on it" }
    return "whoever may share the list takes that back: todo members \(shellQuoted(list))"
  }

  /// Of one that the past which was read here does not have.
  var warning: String { "by what the server has, \(words)" }

  private static func role(_ letters: Letters) -> String {
    switch Role(letters, isOwner: false) {
    case .viewer: "a viewer"
    case .editor: "an editor"
    case .admin: "an admin"
    case .owner: "its owner"
    }
  }
}

extension CloudTransaction {
  /// Who is back where they had been removed, or may do more than they could.
  func namedComebacks() throws -> [NamedComeback] {
    let found = try comebacks()
    guard !found.isEmpty else { return [] }
    let (known, me) = (try self.lists(), try account()?.user)
    return try found.map { comeback in
      let branch = try branch(comeback.branch)
      let list = try known.first { $0.branch == branch }?.name ?? nameOfOther(branch)
      return NamedComeback(
        comeback: comeback, list: list, isInbox: try branch.flatMap { try root(of: $0) }?.trunk == .inbox,
        name: try displayName(of: comeback.user), by: try comeback.by == me ? "you" : displayName(of: comeback.by))
    }
  }
}

extension Session {
  /// Says once who is back, and what is done about it; and of an ended device as long as it may sign again.
  func tellComebacks() throws {
    let devices = try read { transaction in
      let back = try Set(transaction.endedDevicesThatAreBack())
      return back.isEmpty ? [] : try transaction.namedDevices().filter { back.contains($0.device.id) }
    }
    for device in devices {
      voice.note(
        harmless(
          "the server has \(device.words), which you had ended, as a device of yours again: todo devices revoke \(device.shortID)"
        ))
    }
    let new = try read { try $0.namedComebacks().filter { !$0.comeback.isTold } }
    if new.isEmpty { return }
    for comeback in new { voice.note("\(comeback.list): \(comeback.words); \(comeback.remedy)") }
    try database.write { try $0.noteComebacksTold() }
  }
}
