import CloudAPI
import Lies
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

/// Lists in lists: mallory, who may write in Groceries, hangs a branch there, and the server has it.
extension Operator {
  static let nestings: [Operator] = [
    nested("list in a list by somebody who may not share that", by: "mallory") { _, _ in },
    nested("list in a list as that never was", by: "alice") { $1.enclosing?.permissionsVersion += 1 },
    nested("list in a list that somebody else owns", by: "mallory") { scene, body in
      body.owner = try scene.mallory.user()
      body.enclosing?.owner = body.owner
    },
    // Who shares Groceries would share it along.
    Operator("list hung into a list that it was not made in", .nestedPlace, [.permissions: .stops(.firstRecordWrong)]) {
      scene, _ in
      let fresh = CloudID.random(SystemEntropy())
      let first = try scene.firstRecord(of: fresh, by: scene.mallory, owner: scene.mallory, for: scene.carol)
      try await scene.hang(fresh, beginningWith: first)
    },
    Operator("list of one's own hung into a list", .nestedPlace, [.header: .setsAside(.firstRecordWrong, .reports)]) {
      scene, _ in
      try scene.mallory.add("Private", "Mail")
      try await scene.mallory.share("Private", with: "carol")
      for device in [scene.mallory, scene.carol] { try await device.sync() }
      try scene.carol.accept()
      try await scene.carol.sync()
      let branch = try scene.mallory.branch("Private")
      let first = try scene.mallory.database.read { transaction in
        try transaction.branch(branch).flatMap { try transaction.firstPermissions(of: $0) }
      }
      guard let first else { throw TreeError.notABranch }
      _ = try await scene.findTruth()
      let pointer = try scene.pointer(to: branch, first: first)
      try await scene.require(pointer)
      scene.server.watch(for: pointer.record.signature.bytes)
    },
  ]

  /// A first record that names Groceries, bent.
  private static func nested(
    _ name: String, by author: String, _ bend: @escaping @Sendable (Scene, inout PermissionsBody) throws -> Void
  ) -> Operator {
    Operator(name, .enclosing, [.permissions: .stops(.firstRecordWrong)]) { scene, _ in
      let fresh = CloudID.random(SystemEntropy())
      let around = try Hand(scene.mallory, on: scene.branch).permissions
      let first = try scene.firstRecord(
        of: fresh, by: scene.device(author), owner: scene.alice, for: scene.carol
      ) { body in
        body.enclosing = Enclosing(
          branch: scene.branch, permissionsVersion: around.body.version, permissions: around.hash,
          owner: around.body.owner)
        try bend(scene, &body)
      }
      try await scene.hang(fresh, beginningWith: first)
    }
  }
}

extension Scene {
  /// Mallory hangs a branch in the list, of which only the victim is told.
  fileprivate func hang(_ branch: CloudID, beginningWith first: SignedRecord) async throws {
    try await require(pointer(to: branch, first: first.hash))
    server.tell(
      Retelling(of: branch, told: [Told(kind: .permissions, node: branch, record: first, hash: first.hash)]))
  }

  /// A pointer of mallory's in the list.
  fileprivate func pointer(to branch: CloudID, first: Hash32) throws -> Draft {
    let hand = try Hand(mallory, on: self.branch)
    return hand.sign(try hand.pointer(named: "shed", to: branch, of: alice.user(), first: first))
  }
}
