import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import TodoCLI
@testable import Treesystem

/// Mallory, an editor, leaves pointers on alice's list that are none, or lead where nothing is that hangs there.
@Suite struct PointerJunkTests {
  enum Junk: String, CaseIterable {
    /// No branch's id, no branch, and nothing at all in it.
    case noID, nobodysBranch, nothingInIt
    /// A document beside the pointer.
    case withDocument
    /// Mallory's own list, which alice may not read, and one that mallory let her into, with their first records or others.
    case closedToAlice, openToAlice, openWithOtherRecord
    /// Lists of alice's, the list itself, and alice's trunks.
    case alicesOwn, itself, home, inbox
  }

  @Test(arguments: Junk.allCases) func oneRowEndsNobodysSync(_ junk: Junk) async throws {
    let stage = try await Stage()
    try stage.alice.add("Private", "Bread")
    try await stage.alice.sync()
    try stage.mallory.add("Open", "junk")
    try stage.mallory.add("Closed", "junk")
    _ = try await stage.mallory.session.lookUp(handle: "alice")
    try await stage.mallory.share("Open", with: "alice")
    try await stage.mallory.sync()
    try await stage.alice.sync()
    try await stage.mallory.sync()
    let told = try stage.alice.database.read { try $0.unbelievedOfMembers() }
    #expect(try await stage.send(pointer(junk, stage)) == "accepted")
    let first = try await stage.alice.sync()
    let met = try stage.alice.database.read { try $0.unbelievedOfMembers() }
    let page = try stage.page(first, told: told)
    for round in 0..<3 {
      try await stage.mallory.sync()
      try stage.mallory.add("Groceries", "Butter \(round)")
      try await stage.mallory.sync()
      let report = try await stage.alice.sync()
      #expect(report.unsent == 0)
      #expect(try stage.alice.titles("Groceries").contains("Butter \(round)"))
      #expect(
        Complaint(try stage.page(report, told: met)) == nil, "a sync tells once: \(String(describing: Complaint(page)))"
      )
    }
    let tablet = try await stage.alice.second("tablet", "alice", in: stage.world)
    try await tablet.sync()
    #expect(try tablet.titles("Groceries") == stage.alice.titles("Groceries"))
    #expect(try tablet.titles("Private") == ["Bread"] && tablet.listNames() == stage.alice.listNames())
  }

  private func pointer(_ junk: Junk, _ stage: Stage) throws -> Draft {
    let hand = try Hand(stage.mallory, on: stage.branch)
    let (alice, me) = (try stage.alice.user(), hand.user)
    let name = CloudID.random(SystemEntropy()).description
    let other = Hash32.random(SystemEntropy())
    func record(_ device: Device, _ branch: CloudID) throws -> Hash32 {
      try device.database.read { transaction in
        try transaction.branch(branch).flatMap { try transaction.firstPermissions(of: $0) } ?? other
      }
    }
    func lead(_ branch: CloudID, _ owner: UserID, _ first: Hash32) throws -> Draft {
      hand.sign(try hand.pointer(named: name, to: branch, of: owner, first: first))
    }
    switch junk {
    case .noID, .nothingInIt, .withDocument:
      var sheet = try hand.pointer(named: name, to: stage.branch, of: alice, first: other)
      var metadata = SealedNodeMetadata()
      metadata.name = name
      metadata.nameKey = data(SystemEntropy().bytes(32))
      if junk == .noID { metadata.pointer.branch = data([1, 2, 3]) }
      if junk == .withDocument {
        metadata.pointer.branch = data(stage.branch.bytes)
        metadata.pointer.firstPermissions = data(other.bytes)
      }
      var sealed = [hand.seal(encode(metadata), .metadata, sheet.key)]
      if junk == .withDocument { sealed.append(hand.seal([1], .data, sheet.key)) }
      sheet.header.contents = sealed.map(\.0)
      sheet.contents = sealed.map(\.1)
      return hand.sign(sheet)
    case .nobodysBranch: return try lead(.random(SystemEntropy()), me, other)
    case .closedToAlice:
      let branch = try stage.mallory.branch("Closed")
      return try lead(branch, me, record(stage.mallory, branch))
    case .openToAlice, .openWithOtherRecord:
      let branch = try stage.mallory.branch("Open")
      return try lead(branch, me, junk == .openToAlice ? record(stage.mallory, branch) : other)
    case .alicesOwn:
      let branch = try stage.alice.branch("Private")
      return try lead(branch, alice, record(stage.alice, branch))
    case .itself: return try lead(stage.branch, alice, record(stage.alice, stage.branch))
    case .home:
      return try lead(Trunk.home.cloudID(of: alice), alice, record(stage.alice, Trunk.home.cloudID(of: alice)))
    case .inbox:
      return try lead(Trunk.inbox.cloudID(of: alice), alice, record(stage.alice, Trunk.inbox.cloudID(of: alice)))
    }
  }
}

extension Stage {
  /// What alice is told of a sync.
  fileprivate func page(_ report: SyncReport, told: Unbelieved) throws -> SyncPage {
    try alice.database.read {
      SyncPage(report: report, distrust: try $0.distrust(told: told), wereUnread: told.nested)
    }
  }
}
