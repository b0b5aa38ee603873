import CloudAPI
import Foundation
import Sealing
import Signing
import SwiftProtobuf
import Testing

@Suite struct RecordVectors {
  struct KeyringCase: Decodable {
    struct State: Decodable {
      let handle: String
      let activeDevices: [Hex]
      let generation: UInt32
      let trunks: [Hex]
    }
    let expect: String
    let user: Hex
    let entries: [Hex]
    let after: String?
    let state: State?

    /// With those of the case that it begins with.
    var records: [SignedRecord] {
      get throws {
        let before = try after.map { try Vector.named($0, of: "keyring").decode(KeyringCase.self).records }
        return try (before ?? []) + entries.map { try $0.record }
      }
    }
  }

  @Test(arguments: Vector.all("keyring")) func keyring(_ vector: Vector) throws {
    let item = try vector.decode(KeyringCase.self)
    var keyring: Keyring?
    let result = try outcome {
      keyring = try Keyring(user: try item.user.id(), entries: try item.records)
    }
    #expect(result == item.expect)
    guard let state = item.state, let keyring else { return }
    #expect(keyring.handle == state.handle)
    #expect(keyring.generations.last?.number == state.generation)
    #expect(Set(keyring.activeDevices.map(\.id.bytes)) == Set(state.activeDevices.map(\.bytes)))
    let trunks = try #require(keyring.trunks)
    #expect(Trunk.allCases.map { trunks.firstPermissions(of: $0).bytes } == state.trunks.map(\.bytes))
  }

  struct PermissionsCase: Decodable {
    struct Log: Decodable {
      let headLine: UInt64
      let headHash: Hex
    }
    let expect: String
    let branch, first: Hex
    let keyrings: [String: [Hex]]
    let records: [Hex]
    let outer: [Hex]?
    let log: Log?
    let branchKeys: [String: Hex]?
  }

  @Test(arguments: Vector.all("permissions")) func permissions(_ vector: Vector) throws {
    let item = try vector.decode(PermissionsCase.self)
    let keyrings = try keyrings(item.keyrings)
    var view = MemoryBranch(
      branch: try item.branch.id(), firstPermissions: try item.first.id(), keyrings: keyrings,
      outer: try item.outer?.map { try PermissionsInForce(stored: $0.record) })
    let result = try outcome {
      for record in item.records {
        let permissions = try verify(UnverifiedPermissions(try record.record), in: view)
        view.append(permissions)
      }
    }
    #expect(result == item.expect)
    guard let log = item.log else { return }
    #expect(view.head.line == log.headLine)
    #expect(view.head.hash.bytes == log.headHash.bytes)
    try expectChain(item)
    for (epoch, secret) in item.branchKeys ?? [:] {
      let key = BranchKey(
        branch: view.branch, epoch: try #require(UInt64(epoch)), secret: SecretBytes(secret.bytes))
      let bodies = try item.records.map { try PermissionsBody(decoding: $0.record.body) }
      for entry in bodies.filter({ $0.epoch == key.epoch }).flatMap(\.entries) where entry.letters.contains(.read) {
        let user = try #require(entry.user)
        let userKey = try #require(keyrings[user]?.generation(at: entry.keyringPosition)).publicKey
        #expect(key.box(for: user, userKey) == entry.sealedKey)
      }
    }
  }

  /// Every key follows from the one in force (spec §3.1).
  private func expectChain(_ item: PermissionsCase) throws {
    // Copies: secret bytes are erased with whoever has them.
    let keys = (item.branchKeys ?? [:]).mapValues { SecretBytes($0.bytes.map { $0 }) }
    let bodies = try item.records.map { try PermissionsBody(decoding: $0.record.body) }
    var open = try [#require(bodies.last).epoch] as Set
    for body in bodies.reversed() where open.contains(body.epoch) {
      let secret = try #require(keys["\(body.epoch)"])
      let key = BranchKey(branch: body.branch, epoch: body.epoch, secret: secret)
      for older in body.olderKeys {
        guard let opened = key.open(older: older.sealed, epoch: older.epoch) else { continue }
        #expect(opened.secret == keys["\(older.epoch)"])
        open.insert(older.epoch)
      }
    }
    #expect(open.count == keys.count)
  }

  /// The request that deletes an account carries the last entry of its keyring (spec §2.7).
  @Test func deletionOfAnAccount() throws {
    struct Request: Decodable { let body: Hex }
    let body = try Vector.named("good-delete-account", of: "request").decode(Request.self).body
    let append = try WireKeyringAppend(serializedBytes: body.bytes)
    let before = try Vector.named("good-sign-up", of: "keyring").decode(KeyringCase.self)
    let user: UserID = try before.user.id()
    #expect(Array(append.user) == user.bytes)
    var keyring = try Keyring(user: user, entries: before.records)
    #expect(keyring.deleted == nil && keyring.activeDevices.count == 1)
    try keyring.append(append.entries.map { try SignedRecord($0) })
    #expect(keyring.deleted == 5 && keyring.activeDevices.isEmpty)
  }
}

/// A branch that has only permissions records.
private struct MemoryBranch: BranchView {
  let branch: CloudID
  let firstPermissions: Hash32?
  let keyrings: [UserID: Keyring]
  /// The records of the branch around it.
  let outer: [PermissionsInForce]?
  var heads: [LogHead]
  var permissions: PermissionsInForce?

  init(branch: CloudID, firstPermissions: Hash32, keyrings: [UserID: Keyring], outer: [PermissionsInForce]?) {
    self.branch = branch
    self.firstPermissions = firstPermissions
    self.keyrings = keyrings
    self.outer = outer
    heads = [LogHead(startOf: branch)]
  }

  var head: LogHead { heads[heads.count - 1] }

  mutating func append(_ record: Permissions) {
    let line = Line(number: head.line + 1, kind: .permissions, cloudID: branch, hash: record.hash)
    heads.append(head.appending(line))
    permissions = PermissionsInForce(record)
  }

  func logHash(at line: UInt64) -> Hash32? { heads.first { $0.line == line }?.hash }
  func wasInForce(_ permissions: Hash32) -> Bool { false }
  func node(_ cloudID: CloudID) -> NodeState? { nil }
  func keyring(_ user: UserID) -> Keyring? { keyrings[user] }
  func enclosingPermissions(_ enclosing: Enclosing) -> PermissionsInForce?? {
    outer.map { records in records.first { $0.body.branch == enclosing.branch && $0.hash == enclosing.permissions } }
  }
}
