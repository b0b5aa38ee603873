import Glibc
import Sharing
import TodoCore
import Treesystem

extension Session {
  /// Says in one line that there is news, once; to people.
  func tellNews() throws {
    guard isatty(STDERR_FILENO) == 1, !voice.wantsJSON, !voice.isQuiet else { return }
    let (items, notice, invites, devices, messages) = try read { transaction in
      let items = try transaction.news(below: .noticed)
      let invites = try transaction.invites(toldBelow: NewsState.noticed.rawValue)
      let devices = try transaction.deviceNews(below: .noticed)
      return (
        items, items.isEmpty ? nil : try transaction.newsNotice(), invites, try transaction.named(devices),
        try transaction.named(transaction.unreadMessages(below: .noticed))
      )
    }
    for device in devices { voice.note(device.sentence) }
    if let first = invites.first {
      voice.note(first.sentence + (invites.count == 1 ? "" : ", and \(invites.count - 1) more (todo invites)"))
    }
    if let notice { voice.note(notice) }
    for message in messages { voice.note(message.sentence) }
    if notice == nil, invites.isEmpty, devices.isEmpty, messages.isEmpty { return }
    try markTold { transaction in
      try transaction.mark(items, as: .noticed)
      try transaction.mark(invites, asTold: NewsState.noticed.rawValue)
      try transaction.mark(devices.map(\.news), as: .noticed)
      try transaction.mark(messages.flatMap(\.unread.posts), as: .noticed)
    }
  }
}

extension CloudTransaction {
  /// "bob added 2 things to Groceries (todo news)"; nil where there is no news.
  func newsNotice() throws -> String? {
    let groups = try groups(of: news(below: .seen))
    guard let first = groups.first else { return nil }
    let others = groups.dropFirst().reduce(0) { $0 + $1.items.count }
    return "\(first.sentence)\(others == 0 ? "" : ", and \(counted(others, "more change"))") (todo news)"
  }
}
