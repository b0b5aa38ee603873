import CloudAPI
import Foundation
import Signing
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
    let state: State?
  }

  @Test(arguments: Vector.all("keyring")) func keyring(_ vector: Vector) throws {
    let item = try vector.decode(KeyringCase.self)
    var keyring: Keyring?
    let result = try outcome {
      keyring = try Keyring(user: try item.user.id(), entries: try item.entries.map { try $0.record })
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
    let log: Log?
  }

  @Test(arguments: Vector.all("permissions")) func permissions(_ vector: Vector) throws {
    let item = try vector.decode(PermissionsCase.self)
    var view = MemoryBranch(
      branch: try item.branch.id(), firstPermissions: try item.first.id(), keyrings: try keyrings(item.keyrings))
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
  }
}

/// A branch that has only permissions records.
private struct MemoryBranch: BranchView {
  let branch: CloudID
  let firstPermissions: Hash32?
  let keyrings: [UserID: Keyring]
  var heads: [LogHead]
  var permissions: PermissionsInForce?

  init(branch: CloudID, firstPermissions: Hash32, keyrings: [UserID: Keyring]) {
    self.branch = branch
    self.firstPermissions = firstPermissions
    self.keyrings = keyrings
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
  func enclosingPermissions(_ branch: CloudID) -> PermissionsInForce? { nil }
}
