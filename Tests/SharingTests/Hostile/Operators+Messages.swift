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

/// Messages in an inbox, and what a sender is told of one.
extension Operator {
  static let messages: [Operator] =
    [
      Operator("message re-addressed", .recordBranch, [.message: .setsAside(.branchMismatch, .recovers)]) { scene, _ in
        try await scene.inviteAlice()
        try await scene.mallory.share("Work", with: "bob")
        try await scene.mallory.sync()
        let inbox = Trunk.inbox.cloudID(of: try scene.device("bob").user())
        let others = try scene.world.storage.read { storage in
          try storage.lines(of: inbox, after: 0, limit: 100).last.flatMap { try storage.node($0.cloudID, in: inbox) }
        }
        try scene.retellInbox { try $0.replace(others?.record ?? $0.signed()) }
      },
      Operator(
        "message addressed to somebody else inside", .signature, [.message: .setsAside(.signatureBad, .recovers)]
      ) { scene, _ in
        try await scene.inviteAlice()
        let bob = try scene.device("bob").user()
        try scene.retellInbox { told in
          try told.replace(told.signed().bent(WireNodeHeader.self) { $0.recipient = data(bob.bytes) })
        }
      },
      resigned("message sealed to a key that is not in force", .message, .messageWrong) { $0.recipientGeneration = 2 },
      resigned("message below something else than the inbox", .message, .messageWrong) {
        $0.parent = .random(SystemEntropy())
      },
      resigned("message that opens under two keys", .nodeKeyCommitment, .keyMismatch) {
        $0.keyCommitment = .random(SystemEntropy())
      },
      resigned("message sealed to somebody else", nil, .keyMismatch) { $0.wrappedKey[40] ^= 1 },
      Operator("message row withheld", .latestRow, [.message: .setsAside(.rowMissing, .reports)]) { scene, _ in
        try await scene.inviteAlice()
        try scene.retellInbox { $0.record = nil }
        scene.mend = { _ in }
      },
      Operator("inner sender differs", .messageSender, [.message: .harmless(.honest)]) { scene, _ in
        scene.victimName = "alice"
        _ = try await scene.alice.session.lookUp(handle: "eve")
        _ = try await scene.findTruth()
        let (eve, alice, mallory) = (try scene.device("eve"), try scene.alice.user(), try scene.mallory.user())
        _ = try await eve.session.lookUp(handle: "alice")
        try eve.database.write { transaction in
          var message = SealedMessage()
          message.decline.branch = data(CloudID.random(SystemEntropy()).bytes)
          try transaction.sendMessage(message, toRecipients: [alice], withDependencies: [])
          message.sender = data(mallory.bytes)
          let update = try transaction.db.cachedStatement(sql: "UPDATE outgoing SET message = ?")
          try update.execute(arguments: [Data(encode(message))])
        }
        try await eve.sync()
        scene.server.watch(for: try scene.lastRecord(in: alice).signature.bytes)
        let sender = try eve.user()
        scene.check = { scene in
          let inbox = Trunk.inbox.cloudID(of: alice)
          let left = try scene.world.storage.read { try $0.messageCount(in: inbox, by: sender) }
          #expect(left == 0, "it is kept")
        }
      },
      Operator("message from somebody blocked", .blockedSender, [.message: .harmless(.before)]) { scene, _ in
        scene.victimName = "alice"
        let eve = try scene.device("eve")
        _ = try await scene.alice.session.lookUp(handle: "eve")
        let stranger = try eve.user()
        try scene.alice.database.write { try $0.setBlocked(stranger) }
        try await scene.alice.sync()
        try eve.add("Trash", "Junk")
        try await eve.share("Trash", with: "alice")
        try await eve.sync()
        scene.server.watch(for: try scene.lastRecord(in: scene.alice.user()).signature.bytes)
      },
      inbox("inbox of somebody else", .inboxBranch, .branchMismatch) { scene, history in
        let eve = try scene.device("eve").user()
        let records = try scene.world.storage.read {
          try $0.permissionsHistory(of: Trunk.inbox.cloudID(of: eve), upTo: 1 << 20) ?? []
        }
        history.records = records.map(\.wire)
      },
    ]
    + InboxLie.all.map { lie in
      inbox(lie.name, lie.defence, lie.reason) { try lie.change(&$1, SystemEntropy()) }
    }

  /// Mallory signs the invitation to alice once more, bent.
  private static func resigned(
    _ name: String, _ defence: Defence?, _ reason: Refusal, _ bend: @escaping @Sendable (inout HeaderBody) -> Void
  ) -> Operator {
    Operator(name, defence, [.message: .setsAside(reason, .recovers)]) { scene, _ in
      try await scene.inviteAlice()
      let key = try scene.mallory.database.read { try $0.identity() }.signingKey
      try scene.retellInbox { told in
        var body = try HeaderBody(decoding: told.signed().body)
        bend(&body)
        told.replace(SignedRecord(signing: body, with: key))
      }
    }
  }

  /// Alice invites bob, and is told something false of his inbox: the invitation waits.
  private static func inbox(
    _ name: String, _ defence: Defence, _ reason: Refusal,
    _ bend: @escaping @Sendable (Scene, inout WirePermissionsHistory) throws -> Void
  ) -> Operator {
    Operator(name, defence, [.permissions: .stops(reason, showing: .between)]) { scene, _ in
      scene.victimName = "alice"
      let bob = try scene.device("bob").user()
      let records = try scene.world.storage.read {
        try $0.permissionsHistory(of: Trunk.inbox.cloudID(of: bob), upTo: 1 << 20) ?? []
      }
      var history = WirePermissionsHistory()
      history.branch = data(Trunk.inbox.cloudID(of: bob).bytes)
      history.records = records.map(\.wire)
      try bend(scene, &history)
      try await scene.alice.share("Groceries", with: "bob")
      let forged = history
      scene.server.change(.permissions, WirePermissionsHistory.self) { $0 = forged }
      scene.check = { scene in
        #expect(scene.alice.transport.sentOperations.allSatisfy { $0.copy == .init() }, "the invitation is out")
        let report = try await scene.alice.sync()
        #expect(report.unsent == 1)
      }
    }
  }
}

extension Scene {
  /// Mallory has a list of her own, and invites alice.
  func inviteAlice() async throws {
    victimName = "alice"
    try mallory.add("Work", "Mail")
    try await mallory.share("Work", with: "alice")
    try await mallory.sync()
  }

  /// Tells alice something else in the place of the last line of her inbox.
  func retellInbox(_ change: (inout Told) throws -> Void) throws {
    var retelling = try Retelling(of: Trunk.inbox.cloudID(of: alice.user()), to: alice, in: world)
    try change(&retelling.told[retelling.last(.header)])
    server.tell(retelling)
  }

  /// The latest record in somebody's inbox.
  func lastRecord(in user: UserID) throws -> SignedRecord {
    let inbox = Trunk.inbox.cloudID(of: user)
    let node = try world.storage.read { storage in
      try storage.lines(of: inbox, after: 0, limit: 100).last.flatMap { try storage.node($0.cloudID, in: inbox) }
    }
    guard let node else { throw Refusal.rowMissing }
    return node.record
  }
}
