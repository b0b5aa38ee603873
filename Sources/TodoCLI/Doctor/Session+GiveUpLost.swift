import CloudAPI
import Sharing
import TodoCore
import Treesystem

extension Session {
  /// Deletes for everybody what the server lost and nobody gave back, after a last look whether it has come.
  func giveUpLost() async throws -> [Check] {
    _ = try requireAccount()
    guard options.sync != false else {
      throw Complaint.usage("'--give-up-lost' cannot keep off the network", hint: "leave out --no-sync")
    }
    try await sync()
    let (lost, lists) = try read { (try $0.lostNodes(), try $0.lists()) }
    if lost.isEmpty { return [Check("lost", "nothing that is yours to give up")] }
    let places = try Dictionary(grouping: lost, by: \.branch).map { branch, nodes in
      let name = try lists.first { $0.branch == branch }?.name ?? read { try $0.nameOfOther(branch) }
      return "\(counted(nodes.count, "change")) on \(name)"
    }.sorted().joined(separator: ", ")
    try confirm(
      "delete for everybody what the server lost, also where another device still has it and has not run 'todo doctor --repair-server': \(harmless(places))"
    )
    try database.write { try $0.giveUp($0.lostNodes()) }
    try await sync()
    return [Check("lost", "given up: \(places)", isMended: true)]
  }
}

extension Explanation {
  /// Whose it is that was lost.
  enum Loss {
    case message
    case writable
    case readable
  }

  /// Of what the server lists and does not have, and this device never read.
  init(lost: Loss) {
    let again = "it may come with the next one: todo sync"
    let giveUp = "if nobody has it any more, delete it for everybody: todo doctor --give-up-lost"
    let others = "who has it and may write there gives it back, on their device: todo doctor --repair-server"
    switch lost {
    case .message:
      self.init(
        "the server has lost what somebody sent you, and no device of yours had read it", again,
        "ask whoever wrote to you to say it again, then: todo doctor --give-up-lost")
    case .writable: self.init("the server does not have what it says", again, others, giveUp)
    case .readable:
      self.init(
        "the server does not have what it says", again, others,
        "if nobody has it any more, its owner or an editor can give it up: todo doctor --give-up-lost")
    }
  }
}
