import CloudAPI
import Treesystem

extension Obstacle {
  /// The refused change that stands in the way.
  var number: Int64? { if case .refused(let number) = self { number } else { nil } }

  /// For scripts.
  var word: String {
    switch self {
    case .refused: "refused_change"
    case .unreadable: "unreadable_list"
    case .keyMissing: "access"
    case .unattached: "removed_list"
    case .contentMissing: "content"
    case .inboxFull: "inbox"
    case .restoreAwaited: "restore"
    }
  }

  /// Whether waiting may never end, so that giving up is an answer.
  var mayLast: Bool { self == .unreadable(.branchDenied) || self == .unattached }

  /// For people: what changes wait for.
  var meaning: String {
    switch self {
    case .refused(let number): "for change \(number), which was refused"
    case .unreadable(.branchDenied): "because the list is no longer shared with you"
    case .unreadable: "until the list can be read again"
    case .keyMissing: "until this device can open the list; somebody who shares it may have to sync"
    case .unattached: "for a list that is not among yours"
    case .inboxFull:
      "until some of what you sent before has been read: a server keeps 100 unread messages of one sender"
    case .restoreAwaited(isOwn: true):
      "until one of your devices has given back what the server lost: todo doctor --repair-server, first where you synced last"
    case .restoreAwaited(isOwn: false):
      "until its owner has given back what the server lost (todo doctor --repair-server there), a week at most as a rule"
    case .contentMissing: "until the server has handed over what it has of them"
    }
  }
}
