import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import Testing
import TreeSupport

@testable import Treesystem

/// What tests of nested branches do: alice's list is shared with bob, an admin, and something nested hangs in it.
protocol Nesting {
  var rooms: Rooms { get }
}

extension Nesting {
  var list: CloudID { rooms.branches["list"] ?? .random(SystemEntropy()) }
  var alice: Device { rooms.alice }
  var bob: Device { rooms.bob }

  /// Nests a branch in the list, with one node in it.
  @discardableResult
  func nest(_ device: Device, _ name: String = "shed", in list: String = "list") throws -> CloudID {
    try device.database.write { transaction in
      let root = try rooms.find(list, transaction)
      guard let pointer = try transaction.pointer(to: root.id) else { throw TreeError.noSuchNode }
      let nested = try transaction.createBranch(withPath: Treepath(.home, pointer.name, name))
      let tool = try transaction.createNode(named: "tool", in: nested.id)
      try Notes().set(["saw"], tool, transaction)
      guard let cloudID = nested.cloudID else { throw TreeError.noSuchNode }
      return cloudID
    }
  }

  func settle(_ others: Device...) async throws {
    for _ in 0..<4 { for device in [bob, alice] + others { try await device.sync() } }
  }

  func root(_ branch: CloudID, _ transaction: CloudTransaction) throws -> Node {
    guard let id = try transaction.branch(branch), let root = try transaction.root(of: id) else {
      throw TreeError.noSuchNode
    }
    return root
  }

  func pointer(_ branch: CloudID, _ transaction: CloudTransaction) throws -> Node {
    guard let pointer = try transaction.pointer(to: root(branch, transaction).id) else { throw TreeError.noSuchNode }
    return pointer
  }

  /// The words of what hangs in a branch, by its name; nil where the branch is not here.
  func words(_ device: Device, _ branch: CloudID) throws -> [String]? {
    try device.database.read { transaction in
      guard let id = try transaction.branch(branch), let root = try transaction.root(of: id) else { return nil }
      return try transaction.children(of: root.id).filter { $0.pointer == nil }.map { node in
        "\(node.name): \(try Notes().words(of: node, transaction).sorted().joined(separator: " "))"
      }
    }
  }

  func record(_ branch: CloudID) throws -> PermissionsBody {
    guard let record = try rooms.world.storage.read({ try $0.permissions(of: branch) }) else {
      throw TreeError.noSuchNode
    }
    return try PermissionsBody(decoding: record.body)
  }

  func user(_ device: Device) throws -> UserID { try device.database.read { try $0.requireAccount().user } }

  @discardableResult
  func share(_ list: CloudID, with user: UserID, _ role: Role = .editor) throws -> Int {
    try alice.database.write { transaction in
      try transaction.share(self.root(list, transaction).id, with: user, role: role, title: "list", note: "")
      return try transaction.operations().filter { $0.kind == .permit }.count
    }
  }

  func carol() async throws -> Device {
    let carol = try rooms.world.notebook("carol")
    try await carol.session.signUp(handle: "carol", server: "test")
    try await carol.sync()
    _ = try await alice.session.lookUp(handle: "carol")
    return carol
  }

  func accept(_ device: Device) throws {
    try device.database.write { _ = try $0.graftInvite(try $0.invites()[0].number) }
  }

  func expectCalm(_ devices: Device...) throws {
    for device in devices {
      #expect(try device.unsent() == 0)
      #expect(try device.database.read { try $0.quarantined().map(\.reason) } == [])
      #expect(try device.database.read { try $0.troubles().map(\.reason) } == [])
    }
  }

  /// Takes somebody off a branch and what hangs below it.
  func unshare(_ device: Device, _ branch: CloudID, with user: UserID) throws {
    try device.database.write {
      _ = try $0.recursiveRemoveShareItem(forUserID: user, nodeID: self.root(branch, $0).id)
    }
  }

  /// Who is on a branch, by the server's record in force.
  func members(_ branch: CloudID) throws -> Set<UserID> { try Set(record(branch).entries.compactMap(\.user)) }

  /// The letters of both branches agree.
  func expectSamePeople(_ branch: CloudID, as outer: CloudID, at location: SourceLocation = #_sourceLocation) throws {
    let letters = { (branch: CloudID) in
      try record(branch).entries.map { "\($0.user?.description ?? "") \($0.letters.rawValue)" }
    }
    #expect(try letters(branch) == letters(outer), sourceLocation: location)
  }
}
