import CloudAPI
import CloudServer
import Foundation
import GRDB
import Lies
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Alice's list with an editor who cheats and a viewer, everybody up to date, and a server that will lie.
final class Stage: @unchecked Sendable {
  let world: World
  let alice: Device
  let mallory: Device
  let carol: Device
  let branch: CloudID

  private static let template = Task { try await Stage(making: World(seed: "stage")) }

  /// A copy of a stage that is set up once.
  convenience init() async throws {
    let template = try await Self.template.value
    let world = try World(copying: template.world, seed: Base32.encode(SystemEntropy().bytes(10)))
    try self.init(in: world, branch: template.branch)
  }

  /// A stage that is set up in a world already.
  init(in world: World, branch: CloudID) throws {
    self.world = world
    self.branch = branch
    alice = try world.device("alice")
    mallory = try world.device("mallory")
    carol = try world.device("carol")
  }

  private init(making world: World) async throws {
    self.world = world
    alice = try await world.person("alice")
    mallory = try await world.person("mallory")
    carol = try await world.person("carol")
    try alice.add("Groceries", "Milk", "Eggs")
    try await alice.share("Groceries", with: "mallory")
    try await alice.share("Groceries", with: "carol", role: .viewer)
    try await alice.sync()
    for friend in [mallory, carol] {
      try await friend.sync()
      try friend.accept()
      try await friend.sync()
    }
    branch = try alice.branch("Groceries")
  }

  /// Sends an operation as a device of ours would, and returns the outcome in words.
  func send(_ draft: Draft) async throws -> String {
    let identity = try draft.sender.database.read { try $0.identity() }
    let connection = CloudConnection(
      transport: InProcessTransport(world.cloud), authority: "test",
      signer: .init(caller: Caller(user: identity.user, device: identity.device), key: identity.signingKey),
      clock: world.clock, entropy: SystemEntropy())
    let batch = WireBatch.with { $0.operations = [draft.operation] }
    let answer = try await connection.call(.batch, batch, answer: WireOutcomes.self)
    return switch answer.outcomes.first?.result {
    case .accepted: "accepted"
    case .conflict(let conflict): "conflict \(conflict.reason)"
    case .refused(let refused): "refused \(refused.reason)"
    case .dependencyFailed: "dependency-failed"
    case nil: "nothing"
    }
  }

  /// Puts a header or tombstone into the log as a server would that does not verify.
  func plant(_ draft: Draft) throws {
    try world.storage.write { storage in
      let head = try storage.head(of: branch) ?? LogHead(startOf: branch)
      let line = Line(number: head.line + 1, kind: draft.kind, cloudID: draft.node, hash: draft.record.hash)
      try storage.append(line, head: head.appending(line), to: branch, by: nil)
      let before = try storage.node(draft.node, in: branch)
      let header = try? HeaderBody(decoding: draft.record.body)
      try storage.store(
        StoredNode(
          cloudID: draft.node, line: line.number, lines: (before?.lines ?? 0) + 1, kind: draft.kind,
          hash: draft.record.hash, record: draft.record, parent: header?.parent ?? before?.parent,
          nameToken: header?.nameToken ?? before?.nameToken), in: branch, by: nil)
      for reference in header?.contents ?? [] {
        guard let content = draft.contents.first(where: { Array($0.content) == reference.content.bytes }) else {
          continue
        }
        try storage.store(Array(content.ciphertext), of: reference)
      }
      try storage.setContents(header?.contents ?? [], file: nil, of: draft.node, in: branch, by: nil)
    }
  }

  /// Shows alice, or whom it is meant for, a log that is one line longer, as a server would that wants them to believe the record.
  func pretend(_ draft: Draft, to reader: Device? = nil) {
    let branch = branch
    (reader ?? alice).transport.setTamper { request, response in
      Lie(branch: branch).lengthening(response, to: request, by: draft)
    }
  }
}

/// A record to be sent, planted or shown.
struct Draft: @unchecked Sendable {
  let kind: Line.Kind
  let node: CloudID
  var record: SignedRecord
  let operationID: OperationID
  var contents: [WireContent] = []
  /// Whose device sends it.
  let sender: Device

  var operation: WireOperation {
    .with {
      $0.operation = data(operationID.bytes)
      switch kind {
      case .header:
        $0.put.header = record.wire
        $0.put.contents = contents
      case .tombstone: $0.delete.tombstone = record.wire
      case .permissions: $0.permit.permissions = record.wire
      }
    }
  }

  /// With one bit of the signature turned.
  var withBadSignature: Draft {
    var draft = self
    var bytes = record.signature.bytes
    bytes[7] ^= 1
    draft.record = SignedRecord(body: record.body, signature: Signature(exactly: bytes))
    return draft
  }
}
