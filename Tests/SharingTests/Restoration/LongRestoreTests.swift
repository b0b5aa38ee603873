import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Sharing
@testable import Treesystem

/// A long list comes back in steps of which none is long, and all or nothing of it is there (spec §4.5).
@Suite struct LongRestoreTests {
  struct Step: Sendable {
    let lines: Int
    let bytes: Int
    let more: Bool
    /// What the server had of the list after it.
    let head: UInt64
  }

  /// More than a request has lines, and in bytes as much as several of them.
  private static let nodes = Limits.restoreLines + 500

  @Test func moreNodesThanThreeRequestsHoldComeBackInSteps() async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    try stage.alice.database.write { transaction in
      let list = try #require(try transaction.lists().first)
      try transaction.addTodos((0..<Self.nodes).map { try Title("todo \($0)") }, to: list.node)
    }
    try await stage.alice.sync()
    // The first of them changes last: no step holds both of its lines.
    try stage.alice.edit("todo 0", to: "changed last")
    try await stage.alice.sync()
    let (start, end) = (
      try backup.storage.read { try $0.head(of: stage.branch) }?.line ?? 0,
      try Hand(stage.alice, on: stage.branch).head
    )
    let steps = Locked<[Step]>([])
    stage.alice.transport.setCloud(backup.cloud)
    let (storage, branch) = (backup.storage, stage.branch)
    stage.alice.transport.setTamper { request, response in
      guard request.path == Route.restore.path, let sent = try? decode(WireRestoreRequest.self, request.body),
        Array(sent.branch) == branch.bytes
      else { return response }
      let head = try? storage.read { try $0.head(of: branch) }
      steps.with {
        $0.append(
          Step(
            lines: sent.lines.count / Line.length, bytes: request.body.count, more: sent.more, head: head?.line ?? 0))
      }
      return response
    }
    let progress = Locked<[SyncProgress]>([])
    let repairs = try await stage.alice.session.repairServer { told in progress.with { $0.append(told) } }
    guard case .restored(let lines, _, _)? = repairs.first(where: { $0.branch == branch })?.outcome else {
      Issue.record("not restored: \(repairs)")
      return
    }
    #expect(lines > Self.nodes)
    let taken = steps.with { $0 }
    #expect(taken.count >= 4 && taken.allSatisfy { $0.lines <= Limits.restoreLines && $0.bytes < Limits.bodyBytes })
    #expect(taken.dropLast().allSatisfy { $0.more && $0.head == start })
    #expect(taken.last?.more == false && taken.last?.head == end.line)
    let far = progress.with { $0 }.filter { $0.sent + $0.unsent == lines }
    #expect(far.count == taken.count && far.last?.unsent == 0 && far.map(\.sent) == far.map(\.sent).sorted())
    #expect(try backup.storage.read { try $0.head(of: branch) } == end)
  }
}
