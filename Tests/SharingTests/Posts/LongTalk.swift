import CloudAPI
import Sharing
import Signing
import TestSupport
import Treesystem

/// Two people who have said much to each other about many things, and a device of alice's that has not heard any of it.
struct LongTalk {
  let talk: Talk
  let topics: [CloudID]
  /// Alice's, as she wrote it down: her device erases it once another one has signed in with it.
  private let root: RootKey

  init(about things: Int, rounds: Int, each: Int = 4, seed: String) async throws {
    talk = try await Talk("alice", "bob", seed: seed)
    guard let root = try talk["alice"].database.read({ try $0.root() }) else { throw TreeError.notSignedIn }
    self.root = root
    topics = (0..<things).compactMap { CloudID(bytes: [UInt8](repeating: UInt8($0), count: 16)) }
    try await talk.acquaint("alice", "bob")
    for round in 0..<rounds {
      for (one, other) in [("alice", "bob"), ("bob", "alice")] {
        for number in 0..<each {
          for topic in topics { try talk.say("\(one) \(round) \(number)", from: one, to: other, about: topic) }
        }
        try await talk.sync(one, other)
        try markAllRead(other)
      }
      try await talk.sync("alice", "bob")
    }
  }

  private func markAllRead(_ name: String) throws {
    try talk[name].database.write { transaction in
      for conversation in try transaction.conversations() { try transaction.markRead(conversation.latest.id) }
    }
  }

  /// A device of alice's that is signed in and has not synced; a page is that short for it.
  func newDevice(_ name: String = "tablet", pageLines: Int) async throws -> Device {
    let device = try talk.world.device(name, pageLines: pageLines)
    try await device.session.logIn(root: root, handle: "alice", server: "test")
    return device
  }

  /// What a device shows: of every conversation how much is unread, and the latest posts.
  func shown(_ device: Device, limit: Int) throws -> [ConversationID: [String]] {
    try device.database.read { transaction in
      try transaction.conversations().reduce(into: [:]) { shown, conversation in
        let posts = try transaction.messages(in: conversation.id, limit: limit)
        shown[conversation.id] =
          ["\(conversation.users) \(conversation.unread)"]
          + posts.map { "\($0.sender) \($0.text) \($0.isRead) \($0.isOwn)" }
      }
    }
  }
}

extension Device {
  /// Lets no page of a trunk come.
  func cutOff(_ trunk: Trunk) throws {
    let branch = trunk.cloudID(of: try user())
    transport.setFate { request in
      guard request.path == Route.pull.path, let pull = try? decode(WirePullRequest.self, request.body) else {
        return .delivered
      }
      return Array(pull.branch) == branch.bytes ? .lost : .delivered
    }
  }
}
