import CloudAPI
import CloudServer
import Foundation
import GRDB
import Lies
import Signing
import SwiftProtobuf
import TestSupport
import Testing

@testable import Sharing
@testable import Treesystem

private let day: Int64 = 24 * 3_600_000

/// What people say to each other.
extension Operator {
  static let posts: [Operator] = [
    Operator("post in another's name", .signature, [.message: .setsAside(.signatureBad, .recovers)]) { scene, _ in
      try await scene.sayToAlice("hello")
      let eve = try scene.device("eve")
      _ = try await scene.alice.session.lookUp(handle: "eve")
      let (user, device) = try eve.database.read { (try $0.identity().user, try $0.identity().device) }
      try scene.retellInbox { told in
        try told.replace(
          told.signed().bent(WireNodeHeader.self) {
            $0.author.user = data(user.bytes)
            $0.author.device = data(device.bytes)
          })
      }
    },
    Operator("post with another end", .signature, [.message: .setsAside(.signatureBad, .recovers)]) { scene, _ in
      try await scene.sayToAlice("hello", until: scene.world.clock.now() + day)
      try scene.retellInbox { told in
        try told.replace(told.signed().bent(WireNodeHeader.self) { $0.expires -= UInt64(day) - 1 })
      }
    },
    Operator("post burnt before its end", .burnTime, [.message: .setsAside(.contentMissing, .recovers)]) { scene, _ in
      try await scene.sayToAlice("hello", until: scene.world.clock.now() + day)
      let inbox = Trunk.inbox.cloudID(of: try scene.alice.user())
      scene.server.lie { request, response in
        if case .content? = Route(method: request.method, path: request.path) {
          return .refusing(.notFound, status: 404)
        }
        return Lie(branch: inbox).page(response, to: request) { page in
          for index in page.rows.indices { page.rows[index].contents = [] }
        }
      }
    },
    Operator("post told once more", .nodeVersion, [.message: .setsAside(.versionStale, .forks)]) { scene, _ in
      try await scene.sayToAlice("hello")
      try scene.retellInbox(twice: true)
    },
    Operator("post taken back and told again", .nodeVersion, [.message: .setsAside(.versionStale, .forks)]) {
      scene, _ in
      let post = try await scene.sayToAlice("hello")
      try await scene.alice.sync()
      let record = try scene.lastRecord(in: scene.alice.user())
      let node = try HeaderBody(decoding: record.body).cloudID
      try scene.mallory.database.write { try $0.burn(post) }
      try await scene.mallory.sync()
      var retelling = try Retelling(
        of: Trunk.inbox.cloudID(of: scene.alice.user()), to: scene.alice, in: scene.world)
      retelling.told.append(Told(kind: .header, node: node, record: record, hash: record.hash))
      scene.server.tell(retelling)
    },
    Operator("post put into a third inbox", .recordBranch, [.message: .setsAside(.branchMismatch, .recovers)]) {
      scene, _ in
      try await scene.sayToAlice("hello")
      let bob = try scene.device("bob").user()
      try scene.mallory.database.write { try $0.sendMessage(MessageDraft(to: [bob], text: "not for alice")) }
      try await scene.mallory.sync()
      let others = try scene.lastRecord(in: bob)
      try scene.retellInbox { $0.replace(others) }
    },
    Operator("post that is for others inside", .postRecipient, [.message: .harmless(.honest)]) { scene, _ in
      let bob = try scene.device("bob").user()
      try await scene.eveSays("for bob") { $0.recipients = [data(bob.bytes)] }
    },
    Operator("post said again in other words", .postOnce, [.message: .harmless(.honest)]) { scene, _ in
      let (id, alice) = (scene.world.clock.now(), try scene.alice.user())
      let drawn = Data(repeating: UInt8(truncatingIfNeeded: id), count: 16)
      try scene.alice.database.write { try $0.setVerified(scene.device("eve").user()) }
      try await scene.eveSays("yes", isTrue: true) {
        $0.id = drawn
        $0.recipients = [data(alice.bytes)]
      }
      try await scene.alice.sync()
      try await scene.eveSays("no") {
        $0.id = drawn
        $0.recipients = [data(alice.bytes)]
      }
    },
    Operator("post of a stranger", .stranger, [.message: .harmless(.honest)]) { scene, _ in
      try await scene.eveSays("buy this", isTrue: true) { _ in }
      scene.server.watch(for: try scene.lastRecord(in: scene.alice.user()).signature.bytes)
      scene.check = { scene in
        let (conversations, requests) = try scene.alice.database.read {
          (try $0.conversations(), try $0.requests())
        }
        #expect(conversations.isEmpty && requests.map(\.name) == ["eve"])
      }
    },
  ]
}

extension Scene {
  /// Mallory, who shares a list with alice, says something to her.
  @discardableResult
  fileprivate func sayToAlice(_ text: String, until end: Int64? = nil) async throws -> PostID {
    victimName = "alice"
    let user = try alice.user()
    let post = try mallory.database.write {
      try $0.sendMessage(MessageDraft(to: [user], text: text, expires: end))
    }
    try await mallory.sync()
    return post
  }

  /// Eve says something that her client would not.
  fileprivate func eveSays(
    _ text: String, isTrue: Bool = false, _ bend: (inout SealedPost) -> Void
  ) async throws {
    victimName = "alice"
    let (eve, user) = (try device("eve"), try alice.user())
    _ = try await alice.session.lookUp(handle: "eve")
    _ = try await eve.session.lookUp(handle: "alice")
    if !isTrue { _ = try await findTruth() }
    try eve.database.write { transaction in
      try transaction.sendMessage(MessageDraft(to: [user], text: text))
      let node = try Int64.fetchOne(transaction.db, sql: "SELECT max(node) FROM outgoing")
      let stored = try Data.fetchOne(
        transaction.db, sql: "SELECT message FROM outgoing WHERE node = ?", arguments: [node])
      var message = try SealedMessage(serializedBytes: stored ?? Data())
      bend(&message.post)
      let update = try transaction.db.cachedStatement(sql: "UPDATE outgoing SET message = ? WHERE node = ?")
      try update.execute(arguments: [Data(encode(message)), node])
    }
    try await eve.sync()
    if !isTrue { server.watch(for: try lastRecord(in: user).signature.bytes) }
  }

  /// Tells alice the last line of her inbox twice.
  fileprivate func retellInbox(twice: Bool) throws {
    var retelling = try Retelling(of: Trunk.inbox.cloudID(of: alice.user()), to: alice, in: world)
    let last = try retelling.last(.header)
    retelling.told.append(retelling.told[last])
    server.tell(retelling)
  }
}
