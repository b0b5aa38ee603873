import CloudAPI
import Foundation
import GRDB
import Signing

/// A branch that a node went to, by the word of the user who took it there.
struct Passage {
  let branch: BranchID
  let author: UserID
}

/// Equal cloudIDs in two branches prove nothing, because ids are chosen by whoever writes (spec §5.7).
extension CloudTransaction {
  /// The passage that the tombstone names with which a node left a branch, its own or that of the node above with which it went. Nil while the
  /// node lives there, or if the destination is not known here.
  func passage(of cloudID: CloudID, from branch: BranchID) throws -> Passage? {
    let statement = try db.cachedStatement(
      sql: """
        SELECT s.deleted, s.tombstone, b.id, s.parent FROM node_states s LEFT JOIN relocations r USING (branch, cloud_id)
        LEFT JOIN branches b ON b.cloud_id = r.destination WHERE s.branch = ? AND s.cloud_id = ?
        """)
    var next: CloudID? = cloudID
    for _ in 0...Limits.depth {
      guard let here = next, let row = try Row.fetchOne(statement, arguments: [branch, here]) else { return nil }
      if row[0] as Bool { return try passage(row[1], to: row[2]) }
      next = row[3]
    }
    return nil
  }

  private func passage(_ tombstone: Data?, to branch: BranchID?) throws -> Passage? {
    guard let tombstone, let branch else { return nil }
    let body = try UnverifiedTombstone(SignedRecord(encoded: Array(tombstone))).body
    return body.moved == nil ? nil : Passage(branch: branch, author: body.author.user)
  }

  /// Returns true if tombstones lead a node from one branch to another, as their authors say.
  func leads(_ cloudID: CloudID, from start: BranchID, to end: BranchID) throws -> Bool {
    var here = start
    var passed: Set<BranchID> = [start]
    while let next = try passage(of: cloudID, from: here), passed.insert(next.branch).inserted {
      if next.branch == end { return true }
      here = next.branch
    }
    return false
  }

  /// Returns true if the node of an id came to a branch with this passage: its author signed the node's first header there, and may
  /// write there. A device that never had that header takes the one that it has: its author could have written there whatever comes along.
  func hasCome(_ cloudID: CloudID, with passage: Passage) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: "SELECT founder, header FROM node_states WHERE branch = ? AND cloud_id = ?")
    guard let known = try Row.fetchOne(statement, arguments: [passage.branch, cloudID]),
      try (known[0] as UserID?) ?? signer(of: known[1] as Data?) == passage.author,
      let permissions = try permissions(of: passage.branch)?.body
    else { return false }
    return permissions.letters(of: passage.author).contains(.write)
  }

  private func signer(of header: Data?) throws -> UserID? {
    try header.map { try HeaderBody(decoding: SignedRecord(encoded: Array($0)).body).author.user }
  }

  /// The ids of what went with a node that left a branch: its own, and those of all that hung below it according to the server.
  func left(with cloudID: CloudID, from branch: BranchID) throws -> Set<CloudID> {
    let sql = """
      WITH RECURSIVE below (cloud_id, revived) AS (
        SELECT cloud_id, revived FROM node_states WHERE branch = ?1 AND cloud_id = ?2
        UNION SELECT s.cloud_id, s.revived FROM node_states s JOIN below b ON s.parent = b.cloud_id
        WHERE s.branch = ?1 AND s.deleted = 0 AND s.line > b.revived)
      SELECT cloud_id FROM below
      """
    return try Set(CloudID.fetchAll(db, sql: sql, arguments: [branch, cloudID]))
  }
}

extension CloudTransaction {
  /// The id that a node takes in a branch that it goes to: the one with which it left from there, or else its own, or a new one where that
  /// belongs to something else.
  func arrivalID(of node: Node, in branch: BranchID) throws -> CloudID? {
    if let left = try departures(of: node.id).first(where: { $0.branch == branch }) { return left.cloudID }
    return try node.cloudID.map { try arrivalID(of: $0, from: node.branch, in: branch) }
  }

  /// The same for a node of another branch that is not here yet.
  func arrivalID(of cloudID: CloudID, from old: BranchID, in branch: BranchID) throws -> CloudID {
    guard try !isHere(cloudID, in: branch) else { return .random(entropy) }
    return try !hasLine(cloudID, in: branch) || leads(cloudID, from: branch, to: old) ? cloudID : .random(entropy)
  }

  /// True for an id of something that this device has in a branch, keeps aside of it, took out of it or is sending to it.
  private func isHere(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM nodes WHERE branch = ?1 AND cloud_id = ?2)
          OR EXISTS (SELECT 1 FROM branches WHERE id = ?1 AND cloud_id = ?2)
          OR EXISTS (SELECT 1 FROM removed WHERE branch = ?1 AND cloud_id = ?2)
          OR EXISTS (SELECT 1 FROM departures WHERE branch = ?1 AND cloud_id = ?2)
          OR EXISTS (SELECT 1 FROM operations WHERE branch = ?1 AND cloud_id = ?2 AND kind = 'put')
        """)
    return try Bool.fetchOne(statement, arguments: [branch, cloudID]) ?? false
  }

  /// True for an id that ever had a line in a branch, believed or not.
  private func hasLine(_ cloudID: CloudID, in branch: BranchID) throws -> Bool {
    let statement = try db.cachedStatement(
      sql: """
        SELECT EXISTS (SELECT 1 FROM node_states WHERE branch = ?1 AND cloud_id = ?2)
          OR EXISTS (SELECT 1 FROM lines WHERE branch = ?1 AND cloud_id = ?2)
        """)
    return try Bool.fetchOne(statement, arguments: [branch, cloudID]) ?? false
  }
}

/// A node that came to a branch, and was not accepted there yet, while another one was put there under its id.
extension CloudTransaction {
  /// Gives such a node a new id. A node keeps its name key wherever it goes, and only those who could read it know that: what was
  /// put there with another one, or with one that cannot be read, is not this node (spec §5.7, rule 5). Nor is what is a pointer or a file
  /// where this node is none: in that life the server takes nothing else.
  /// - Parameter nameKey: of what was put there.
  func makeRoom(for header: HeaderBody, nameKey: Data?, in branch: BranchID) throws {
    guard let here = try node(header.cloudID, in: branch), !here.isBranchRoot,
      here.trunk == nil, here.pointer == nil,
      try isDocument(here, besides: header) || isForeign(here, header, nameKey, in: branch)
    else { return }
    try renumber(here)
  }

  /// Gives a node a new id on its way, as long as nothing of it was sent: its old place does not tell any more that it came from elsewhere.
  func makeRoomAhead(for node: Node) throws {
    let isSent = try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM operations WHERE node = ?1 AND kind = 'put' AND state = 'sealed'
        UNION ALL SELECT 1 FROM lines WHERE branch = ?2 AND cloud_id = ?3 LIMIT 1
        """, arguments: [node.id, node.branch, node.cloudID])
    if isSent == nil, !node.isBranchRoot, try hasUnconfirmedPut(node, in: node.branch) { try renumber(node) }
  }

  /// Whether a node is a document where somebody began another life of its id as something else, and it is here yet: with something unsent.
  private func isDocument(_ node: Node, besides header: HeaderBody) throws -> Bool {
    try header.form != .document && form(of: node) == .document && !isIncomplete(node) && mayWrite(node.branch)
  }

  /// Whether a node came from elsewhere, and what somebody put in the branch before it was accepted is not this node.
  private func isForeign(_ node: Node, _ header: HeaderBody, _ nameKey: Data?, in branch: BranchID) throws -> Bool {
    try departures(of: node.id).contains { $0.branch != branch } && hasUnconfirmedPut(node, in: branch)
      && !isOwnLife(of: header, in: branch) && self.nameKey(of: node.id) != nameKey
  }

  /// Whether the life that a header goes on with began with one of this user's, so that the server had taken it.
  private func isOwnLife(of header: HeaderBody, in branch: BranchID) throws -> Bool {
    if header.beginsLife { return false }
    let founder = try UserID.fetchOne(
      db, sql: "SELECT founder FROM node_states WHERE branch = ? AND cloud_id = ?",
      arguments: [branch, header.cloudID])
    return try founder != nil && founder == account()?.user
  }

  func nameKey(of node: NodeID) throws -> Data? {
    try Data.fetchOne(db, sql: "SELECT name_key FROM nodes WHERE id = ? AND name_key IS NOT NULL", arguments: [node])
  }

  /// Bytes that were sealed under the old id have nothing to do with the node any more: the server refuses them.
  private func renumber(_ node: Node) throws {
    let id = CloudID.random(entropy)
    try db.execute(
      sql: "UPDATE operations SET node = NULL WHERE node = ? AND kind = 'put' AND state = 'sealed'",
      arguments: [node.id])
    try db.execute(
      sql: "UPDATE operations SET cloud_id = ? WHERE node = ? AND kind = 'put'", arguments: [id, node.id])
    try db.execute(sql: "UPDATE nodes SET cloud_id = ?, placed = 1 WHERE id = ?", arguments: [id, node.id])
    try queueUpload(of: node.id)
    // What others hung below it meant this node, and goes along.
    for child in try children(of: node.id) {
      try db.execute(sql: "UPDATE nodes SET placed = 1 WHERE id = ?", arguments: [child.id])
      try queueUpload(of: child.id)
    }
    try tellRenumbered(node)
  }
}
