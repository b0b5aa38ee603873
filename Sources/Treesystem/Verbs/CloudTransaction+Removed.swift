import CloudAPI
import Foundation
import GRDB
import Signing

/// What was deleted here is kept until its deletion is accepted, and comes back whole if somebody changed something in it
/// that this user had not seen.
extension CloudTransaction {
  /// Sets nodes aside that a deletion takes away: those that the server has.
  func keep(_ nodes: [Node], until operation: CloudOperation, evenUnsent: Bool = false) throws {
    for node in nodes {
      guard try evenUnsent || isOnServer(node), let cloudID = node.cloudID else { continue }
      try setAside(node, cloudID, until: operation, isUnsent: evenUnsent)
    }
  }

  /// Sets a node aside that goes while the tombstone waits which took it elsewhere: withdrawn, that brings it back where it was.
  func keep(_ node: Node, departedBy departure: Departure) throws {
    try setAside(node, departure.cloudID, until: departure.operation, isUnsent: true, at: departure)
  }

  private func setAside(
    _ node: Node, _ cloudID: CloudID, until operation: CloudOperation, isUnsent: Bool, at place: Departure? = nil
  ) throws {
    let content = try keptContent(of: node)
    // A file is fetched again: it has no document that could be brought back.
    let document = content?.file == nil ? content : nil
    // To be asked behind the content, which the app may have changed for it.
    let isUnsent =
      try isUnsent
      || Int.fetchOne(db, sql: "SELECT 1 FROM operations WHERE node = ? AND kind = 'put'", arguments: [node.id]) != nil
    try db.execute(
      sql: """
        INSERT OR REPLACE INTO removed (branch, cloud_id, operation, parent, name, name_key, node_key, author, pointer,
          first_permissions, alias, trashed_at, data, history, unsent, incomplete)
        SELECT coalesce(?8, n.branch), ?1, ?2,
          iif(?8 IS NULL, coalesce(p.cloud_id, iif(p.id IS NULL, NULL, b.cloud_id)), ?9), coalesce(?10, n.name),
          n.name_key, n.node_key, n.author, t.cloud_id, t.first_permissions, n.alias, n.trashed_at,
          ?3, ?4, ?5, ?6
        FROM nodes n JOIN branches b ON b.id = n.branch LEFT JOIN nodes p ON p.id = n.parent
          LEFT JOIN branches t ON t.id = n.pointer
        WHERE n.id = ?7
        """,
      arguments: [
        cloudID, operation.sequence, document.map { Data($0.data) }, document.map { Data($0.history) }, isUnsent,
        isIncomplete(node) || content?.file != nil, node.id, place?.branch, place?.parent, place?.name,
      ])
    try db.execute(
      sql: "INSERT INTO removed_tags SELECT ?, ?, identifier, tag FROM tags WHERE node = ?",
      arguments: [place?.branch ?? node.branch, cloudID, node.id])
  }

  /// A message in the inbox is its sender's, and the app has no say in it.
  private func keptContent(of node: Node) throws -> NodeData? {
    guard let app, node.pointer == nil, node.trunk != .inbox else { return nil }
    do {
      return try app.content(of: node, in: self)
    } catch let error where !(error is DatabaseError) {
      return nil
    }
  }

  /// The content of the node that a deletion which waits is about; nil where nothing of it was kept.
  public func content(takenBy operation: QueuedOperation) throws -> NodeData? {
    let row = try Row.fetchOne(
      db, sql: "SELECT data, history FROM removed WHERE operation = ? AND cloud_id = ?",
      arguments: [operation.sequence, operation.cloudID])
    guard let row, let data = row[0] as Data? else { return nil }
    return NodeData(data: Array(data), history: Array((row[1] as Data?) ?? Data()))
  }

  func hasRemovals(in branch: BranchID) throws -> Bool {
    try Int.fetchOne(db, sql: "SELECT 1 FROM removed WHERE branch = ? LIMIT 1", arguments: [branch]) != nil
  }

  /// The deletions queued here that a header of somebody's reaches into: it changes what they take, or adds to it.
  func removals(touchedBy header: HeaderBody, in branch: BranchID) throws -> [Int64] {
    // Nearly always there are none, and looking for them all costs much more than that.
    guard try hasRemovals(in: branch) else { return [] }
    let statement = try db.cachedStatement(
      sql: "SELECT DISTINCT operation FROM removed WHERE branch = ? AND cloud_id IN (?, ?)")
    return try Int64.fetchAll(statement, arguments: [branch, header.cloudID, header.parent ?? header.cloudID])
  }

  /// Somebody else deleted a node: a deletion of it is done, and one of what it hung below has this much less to bring back.
  func endRemovals(of cloudID: CloudID, in branch: BranchID) throws {
    try db.execute(
      sql: "DELETE FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'delete'",
      arguments: [branch, cloudID])
    try db.execute(
      sql: """
        WITH RECURSIVE below (cloud_id) AS (
          SELECT ?2 UNION SELECT r.cloud_id FROM removed r JOIN below b ON r.parent = b.cloud_id WHERE r.branch = ?1)
        DELETE FROM removed WHERE branch = ?1 AND cloud_id IN (SELECT cloud_id FROM below)
        """, arguments: [branch, cloudID])
  }

  /// Somebody took a node elsewhere with all below it, while a deletion of what it hung below waits here: if that comes back, the node does not.
  /// What was not sent of it does.
  func forgetRemoved(with cloudID: CloudID, in branch: BranchID) throws {
    try db.execute(
      sql: """
        WITH RECURSIVE below (cloud_id) AS (
          SELECT ?2 UNION SELECT r.cloud_id FROM removed r JOIN below b ON r.parent = b.cloud_id WHERE r.branch = ?1)
        DELETE FROM removed WHERE branch = ?1 AND cloud_id IN (SELECT cloud_id FROM below)
          AND NOT EXISTS (SELECT 1 FROM removed u JOIN below USING (cloud_id) WHERE u.branch = ?1 AND u.unsent)
          AND NOT EXISTS (SELECT 1 FROM operations o WHERE o.sequence = removed.operation AND o.cloud_id = ?2)
        """, arguments: [branch, cloudID])
  }

  /// Deletions that wait have seen everything up to a head: what touches them would have brought them back, but for what
  /// could not be believed. A node that is here and says nothing that could be read was seen.
  func moveReadLines(of branch: BranchID, to head: LogHead) throws {
    let unreadable: [Refusal] = [.malformed, .contentUnopenable, .paddingWrong, .stampAhead]
    let reasons = unreadable.map { "'\($0.rawValue)'" }.joined(separator: ", ")
    try db.execute(
      sql: """
        UPDATE operations SET read_line = ?, read_hash = ? WHERE branch = ? AND kind = 'delete' AND state = 'pending'
          AND read_line < ? AND NOT EXISTS (
            SELECT 1 FROM quarantine q WHERE q.branch = operations.branch AND q.line > operations.read_line
              AND NOT (q.reason IN (\(reasons)) AND EXISTS (
                SELECT 1 FROM nodes n WHERE n.branch = q.branch AND n.cloud_id = q.cloud_id)))
        """, arguments: [Int64(head.line), head.hash, branch, Int64(head.line)])
  }

  /// Brings back what a deletion took, and withdraws the deletion. False: there is no place for it here.
  @discardableResult
  func restore(_ operation: Int64, telling app: (any TreesystemDelegate)?) throws -> Bool {
    let rows = try Row.fetchAll(db, sql: "SELECT * FROM removed WHERE operation = ?", arguments: [operation])
    let tags = try Dictionary(
      grouping: Row.fetchAll(
        db,
        sql: "SELECT t.* FROM removed_tags t JOIN removed r USING (branch, cloud_id) WHERE operation = ?",
        arguments: [operation])
    ) { $0["cloud_id"] as CloudID }
    let kept = Set(rows.map { $0["cloud_id"] as CloudID })
    for row in rows {
      guard let parent = row["parent"] as CloudID?, !kept.contains(parent) else { continue }
      guard try restorePlace(parent, in: row["branch"], telling: app) else { return false }
    }
    try db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [operation])
    var waiting = rows
    while !waiting.isEmpty {
      let next = try waiting.partition { try isPlaceable($0) }
      if next.isEmpty { return false }
      for row in next { try insert(row, tags[row["cloud_id"]] ?? [], telling: app) }
    }
    return true
  }

  private func restorePlace(_ parent: CloudID, in branch: BranchID, telling app: (any TreesystemDelegate)?) throws
    -> Bool
  {
    if try node(parent, in: branch) != nil { return true }
    let other = try Int64.fetchOne(
      db, sql: "SELECT operation FROM removed WHERE branch = ? AND cloud_id = ?", arguments: [branch, parent])
    return try other.map { try restore($0, telling: app) } ?? false
  }

  private func isPlaceable(_ row: Row) throws -> Bool {
    guard let parent = row["parent"] as CloudID? else { return true }
    return try node(parent, in: row["branch"]) != nil
  }

  private func insert(_ row: Row, _ tags: [Row], telling app: (any TreesystemDelegate)?) throws {
    let branch: BranchID = row["branch"]
    let cloudID: CloudID = row["cloud_id"]
    guard try node(cloudID, in: branch) == nil else { return }
    let parent = try (row["parent"] as CloudID?).flatMap { try node($0, in: branch) }
    if let parent, let other = try child(named: row["name"], of: parent.id) {
      try displace(other, telling: app)
    }
    let pointer = try (row["pointer"] as CloudID?).map { target in
      try self.branch(target)
        ?? insertBranch(
          target, firstPermissions: row["first_permissions"], in: parent?.trunk == nil ? branch : nil)
    }
    try db.execute(
      sql: """
        INSERT INTO nodes (branch, parent, cloud_id, name, name_key, node_key, author, pointer, alias, trashed_at)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        branch, parent?.id, cloudID, row["name"] as String, row["name_key"] as Data?, row["node_key"] as Data?,
        row["author"] as Data?, pointer, row["alias"] as String?,
        row["trashed_at"] as Int64?,
      ])
    let id = NodeID(rawValue: db.lastInsertedRowID)
    try takeBack(id, row, tags, telling: app)
    // A pointer and the branch that hangs there come back together.
    try restoreOtherHalf(of: row, cloudID, telling: app)
  }

  private func takeBack(_ id: NodeID, _ row: Row, _ tags: [Row], telling app: (any TreesystemDelegate)?) throws {
    guard let node = try node(id) else { throw TreeError.noSuchNode }
    // What is under way is this node's again.
    try db.execute(
      sql: "UPDATE operations SET node = ? WHERE branch = ? AND cloud_id = ? AND kind = 'put'",
      arguments: [id, node.branch, node.cloudID])
    for tag in tags { try setTag(Array(tag["tag"] as Data), forNodeID: id, withIdentifier: tag["identifier"]) }
    if row["unsent"] { try queueDataUpload(forNodeID: id) }
    if row["incomplete"] { try markNodeAsNeedsDownload(id, components: [.metadata, .data, .history]) }
    guard node.pointer == nil else { return }
    guard let app, let data = row["data"] as Data? else {
      return try markNodeAsNeedsDownload(id, components: [.data, .history])
    }
    let content = NodeData(data: Array(data), history: Array((row["history"] as Data?) ?? Data()))
    _ = try app.receive(.reset(node, content), in: self)
  }

  private func restoreOtherHalf(of row: Row, _ cloudID: CloudID, telling app: (any TreesystemDelegate)?) throws {
    let other: Int64?
    if let target = row["pointer"] as CloudID? {
      other = try Int64.fetchOne(
        db,
        sql: """
          SELECT o.sequence FROM operations o JOIN branches b ON b.id = o.branch AND b.cloud_id = o.cloud_id
          WHERE o.kind = 'delete' AND o.cloud_id = ?
          """, arguments: [target])
    } else {
      other = try Int64.fetchOne(db, sql: "SELECT operation FROM removed WHERE pointer = ?", arguments: [cloudID])
    }
    if let other { try restore(other, telling: app) }
  }
}

extension Array {
  /// Takes out the elements that fit, and returns them.
  fileprivate mutating func partition(where fits: (Element) throws -> Bool) rethrows -> [Element] {
    var taken: [Element] = []
    var left: [Element] = []
    for element in self {
      if try fits(element) { taken.append(element) } else { left.append(element) }
    }
    self = left
    return taken
  }
}
