import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf
import TestSupport
import TodoCore

@testable import Treesystem

/// Writes records with a member's real keys, the way their client would; tests bend them.
struct Hand {
  let device: Device
  let identity: Identity
  let branch: CloudID
  let permissions: UnverifiedPermissions
  let head: LogHead
  let key: BranchKey
  let entropy = SystemEntropy()

  init(_ device: Device, on branch: CloudID) throws {
    self.device = device
    self.branch = branch
    (identity, permissions, head, key) = try device.database.read { transaction in
      guard let id = try transaction.branch(branch), let permissions = try transaction.permissions(of: id),
        let head = try transaction.cursor(of: id),
        let secret = try transaction.branchKey(of: id, epoch: permissions.body.epoch)
      else { throw TreeError.noSuchNode }
      let key = BranchKey(branch: branch, epoch: permissions.body.epoch, secret: secret)
      return (try transaction.identity(), permissions, head, key)
    }
  }

  func author(position: UInt32? = nil) -> Author {
    Author(
      user: identity.user, device: identity.device,
      keyringPosition: position ?? permissions.body.entry(of: identity.user)?.keyringPosition ?? 4, read: head)
  }

  /// What a header needs to be one of this branch's.
  struct Sheet {
    var header: HeaderBody
    var contents: [WireContent]
    var key: NodeKey
  }

  /// A new todo, complete and valid, with the document of one that is there.
  func todo(
    named name: String = Base32.encode(SystemEntropy().bytes(16)), below parent: String? = nil,
    like title: String = "Milk", node: CloudID = .random(SystemEntropy()),
    _ bend: (inout HeaderBody) -> Void = { _ in }, document: [UInt8]? = nil
  ) throws -> Sheet {
    let key = NodeKey(branch: branch, node: node, secret: SecretBytes(entropy.bytes(32)))
    let (above, nameKey) = try self.parent(parent)
    var header = HeaderBody(
      branch: branch, cloudID: node, parent: above, nameToken: nameToken(name, key: nameKey), version: 1,
      previous: .zeros, permissions: permissions.hash, epoch: self.key.epoch, wrappedKey: self.key.wrap(key, entropy),
      keyCommitment: key.commitment, contents: [], author: author(), operation: .random(entropy))
    var metadata = SealedNodeMetadata()
    metadata.name = name
    metadata.nameKey = data(entropy.bytes(32))
    let sealed = [
      seal(encode(metadata), .metadata, key),
      seal(try document ?? self.document(of: title), .data, key),
    ]
    header.contents = sealed.map(\.0)
    bend(&header)
    return Sheet(header: header, contents: sealed.map(\.1), key: key)
  }

  /// A new pointer: it has metadata and no document.
  func pointer(named name: String, to target: CloudID, of owner: UserID, first: Hash32) throws -> Sheet {
    var sheet = try todo(named: name, document: [])
    var metadata = SealedNodeMetadata()
    metadata.name = name
    metadata.nameKey = data(entropy.bytes(32))
    metadata.pointer.branch = data(target.bytes)
    metadata.pointer.owner = data(owner.bytes)
    metadata.pointer.firstPermissions = data(first.bytes)
    let sealed = seal(encode(metadata), .metadata, sheet.key)
    sheet.header.contents = [sealed.0]
    sheet.contents = [sealed.1]
    return sheet
  }

  /// A new todo at the place that is this user's own.
  func ownTodo(named name: String) throws -> Sheet {
    try todo(named: name, node: CloudID(ownNodeOf: user, in: branch))
  }

  /// The next version of a todo that is there; its contents are carried over.
  func next(_ title: String, _ bend: (inout HeaderBody) throws -> Void = { _ in }) throws -> Sheet {
    var sheet = try next(ofNode: device.database.read { try device.todo(title, $0).node })
    try bend(&sheet.header)
    return sheet
  }

  /// The next version of a node that is there, with another document.
  func next(ofNode id: NodeID, document: [UInt8]) throws -> Sheet {
    var sheet = try next(ofNode: id)
    let sealed = seal(document, .data, sheet.key)
    sheet.header.contents = sheet.header.contents.filter { $0.section == .metadata } + [sealed.0]
    sheet.contents = [sealed.1]
    return sheet
  }

  private func next(ofNode id: NodeID) throws -> Sheet {
    let (state, secret) = try device.database.read { transaction in
      guard let node = try transaction.node(id), let cloudID = node.cloudID,
        let state = try transaction.state(of: cloudID, in: node.branch),
        let secret = try Data.fetchOne(transaction.db, sql: "SELECT node_key FROM nodes WHERE id = ?", arguments: [id])
      else { throw TreeError.noSuchNode }
      return (state, secret)
    }
    guard var header = state.header else { throw TreeError.noSuchNode }
    let key = NodeKey(branch: branch, node: header.cloudID, secret: SecretBytes(Array(secret)))
    header.version = state.lines + 1
    header.previous = state.hash
    header.permissions = permissions.hash
    header.author = author()
    header.operation = .random(entropy)
    return Sheet(header: header, contents: [], key: key)
  }

  var user: UserID { identity.user }

  func sign(_ sheet: Sheet, with other: Hand? = nil) -> Draft {
    Draft(
      kind: .header, node: sheet.header.cloudID,
      record: SignedRecord(signing: sheet.header, with: (other ?? self).identity.signingKey),
      operationID: sheet.header.operation, contents: sheet.contents, sender: device)
  }

  func delete(_ header: HeaderBody, after previous: Hash32, _ bend: (inout TombstoneBody) -> Void = { _ in }) -> Draft {
    var body = TombstoneBody(
      branch: branch, cloudID: header.cloudID, version: header.version + 1, previous: previous,
      permissions: permissions.hash, epoch: key.epoch, author: author(), operation: .random(entropy))
    bend(&body)
    return Draft(
      kind: .tombstone, node: body.cloudID, record: SignedRecord(signing: body, with: identity.signingKey),
      operationID: body.operation, sender: device)
  }

  /// The next permissions record, which would change nothing.
  func permit(_ bend: (inout PermissionsBody) -> Void) -> Draft {
    var body = permissions.body
    body.version += 1
    body.previous = permissions.hash
    body.enclosing = nil
    body.author = author()
    bend(&body)
    body.entries.sort { ($0.user?.bytes ?? []).lexicographicallyPrecedes($1.user?.bytes ?? []) }
    return Draft(
      kind: .permissions, node: body.branch, record: SignedRecord(signing: body, with: identity.signingKey),
      operationID: .random(entropy), sender: device)
  }

  func seal(_ plain: [UInt8], _ section: Section, _ key: NodeKey) -> (ContentReference, WireContent) {
    let id = ContentID.random(entropy)
    let sealed = key.seal(plain, content: id, section: section.rawValue, device: identity.device, entropy)
    let reference = ContentReference(
      content: id, section: section, device: identity.device, length: UInt64(sealed.count),
      hash: digest(.contentHash, sealed))
    let wire = WireContent.with {
      $0.content = data(id.bytes)
      $0.ciphertext = data(sealed)
    }
    return (reference, wire)
  }

  /// The header of a todo as it stands, and its record's hash.
  func present(_ title: String) throws -> (HeaderBody, Hash32) {
    let next = try next(title).header
    var header = next
    header.version -= 1
    return (header, next.previous)
  }

  private func document(of title: String) throws -> [UInt8] {
    try device.database.read { transaction in
      let todo = try device.todo(title, transaction)
      return Array(
        try Data.fetchOne(transaction.db, sql: "SELECT document FROM todos WHERE node = ?", arguments: [todo.node])
          ?? Data())
    }
  }

  private func parent(_ title: String?) throws -> (CloudID, SecretBytes) {
    try device.database.read { transaction in
      guard let id = try transaction.branch(branch), let root = try transaction.root(of: id) else {
        throw TreeError.noSuchNode
      }
      let node = try title.map { try device.todo($0, transaction).node } ?? root.id
      guard let cloudID = try transaction.node(node)?.cloudID,
        let key = try Data.fetchOne(transaction.db, sql: "SELECT name_key FROM nodes WHERE id = ?", arguments: [node])
      else { throw TreeError.noSuchNode }
      return (cloudID, SecretBytes(Array(key)))
    }
  }
}

extension Device {
  func todo(_ title: String, _ transaction: CloudTransaction) throws -> Todo {
    for list in try transaction.lists() {
      if let todo = try transaction.todos(in: list.node, .open).first(where: { $0.title == title }) { return todo }
    }
    throw TreeError.noSuchNode
  }
}
