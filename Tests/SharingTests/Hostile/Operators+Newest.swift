import CloudAPI
import CloudServer
import Foundation
import Lies
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing

@testable import Treesystem

/// What a new device is told of its long trunks before it reads them (spec §6.6).
extension Operator {
  static let newest: [Operator] = [
    Operator("newest of another trunk", .newestPlace, [.header: .stops(.branchMismatch, showing: .honest)]) {
      scene, _ in
      let home = try await scene.malloryHasTalked()
      let seen = Locked<[WireRow]>([])
      scene.server.change(.newest, WireNewest.self) { answer in
        if Array(answer.branch) == home.bytes { return seen.with { $0 += answer.rows } }
        if !answer.rows.isEmpty { answer.rows += seen.with { $0 }.suffix(1) }
      }
    },
    Operator("newest that nobody asked for", .newestPlace, [.header: .stops(.parentWrong, showing: .honest)]) {
      scene, _ in
      let home = try await scene.malloryHasTalked()
      let seen = Locked<[WireRow]>([])
      scene.server.change(.newest, WireNewest.self) { answer in
        guard Array(answer.branch) == home.bytes else { return }
        // What hangs below the root, told once more below a conversation.
        let before = seen.with { $0 }
        if let root = before.first, !answer.rows.isEmpty { answer.rows.insert(root, at: 0) }
        seen.with { $0 = answer.rows }
      }
    },
    Operator(
      "newest with the signature of another", .newestSignature, [.header: .stops(.signatureBad, showing: .honest)]
    ) { scene, _ in
      let home = try await scene.malloryHasTalked()
      scene.server.change(.newest, WireNewest.self) { answer in
        guard Array(answer.branch) == home.bytes, answer.rows.count > 1 else { return }
        answer.rows[answer.rows.count - 1].record.signature = answer.rows[0].record.signature
      }
    },
    Operator("newest at another line", .newestLine, [.header: .harmless(.honest)]) { scene, _ in
      let home = try await scene.malloryHasTalked()
      scene.server.change(.newest, WireNewest.self) { answer in
        guard Array(answer.branch) == home.bytes, answer.rows.count > 1 else { return }
        answer.rows[answer.rows.count - 1].line -= 1
      }
      scene.check = { try $0.hasNoted(.fork) }
    },
    Operator("burned post told as the newest", .newestLine, [.tombstone: .harmless(.honest)]) { scene, _ in
      _ = try await scene.malloryHasTalked()
      let alice = try scene.alice.user()
      let post = try scene.mallory.database.write {
        try $0.sendMessage(MessageDraft(to: [alice], text: "never mind"))
      }
      try await scene.mallory.sync()
      let outbox = Trunk.outbox.cloudID(of: try scene.mallory.user())
      let page = try scene.whole(outbox)
      let said = try #require(page.rows.last)
      try scene.mallory.database.write { try $0.burn(post) }
      for _ in 0..<2 { try await scene.mallory.sync() }
      let parent = try HeaderBody(decoding: Array(said.record.body)).parent
      scene.server.lie { request, response in
        guard request.path == Route.newest.path, response.status == 200,
          let asked = try? decode(WireNewestRequest.self, request.body),
          asked.parents.contains(where: { Array($0) == parent?.bytes }),
          var answer = try? decode(WireNewest.self, response.body)
        else { return response }
        answer.rows.append(said)
        return response.carrying(answer)
      }
      scene.check = { try $0.hasNoted(.omission) }
    },
  ]
}

extension Scene {
  /// Mallory and alice have talked, and mallory has a new device for which that is long. Returns his home.
  fileprivate func malloryHasTalked() async throws -> CloudID {
    let (alice, mallory) = (self.alice, self.mallory)
    let (her, his) = (try alice.user(), try mallory.user())
    for text in ["one", "two"] {
      try mallory.database.write { _ = try $0.sendMessage(MessageDraft(to: [her], text: text)) }
      try await mallory.sync()
      let post = try alice.database.write { try $0.sendMessage(MessageDraft(to: [his], text: "yes")) }
      try await alice.sync()
      try await mallory.sync()
      try mallory.database.write { try $0.markRead(post) }
      for device in [mallory, alice] { try await device.sync() }
    }
    try await mallory.sync()
    try await addDevice("laptop", of: mallory, "mallory", pageLines: 4)
    victimName = "laptop"
    return Trunk.home.cloudID(of: his)
  }

  /// All that the server has of a branch of mallory's.
  fileprivate func whole(_ branch: CloudID) throws -> WirePage {
    let request = WirePullRequest.with {
      $0.branch = data(branch.bytes)
      $0.afterHash = data(LogHead(startOf: branch).hash.bytes)
    }
    return try decode(WirePage.self, world.cloud.handle(try mallory.signed(.pull, in: world, encode(request))).body)
  }

  /// The log has shown what the server had said to be something else.
  fileprivate func hasNoted(_ kind: Finding.Kind) throws {
    try victim.database.read { (transaction: CloudTransaction) throws in
      #expect(try Set(transaction.findings().map(\.kind)) == [kind])
      #expect(try !transaction.hasProvisional())
    }
  }
}
