import CloudAPI
import Foundation
import GRDB
import Signing

/// Where a node's file stands on its way up.
enum FileStage: String {
  /// The app will be asked for it.
  case promised
  /// It lies here.
  case sealed
  /// The server has it, and no header lists it yet.
  case sent
}

extension CloudTransaction {
  /// Gives a node a file that lies in the disk store, in place of the one that it has, and queues the upload of both. The file is sent by
  /// `SyncEngine.transferFiles`, and the node follows with a sync.
  public func setFile(_ file: NodeFile, of node: NodeID) throws {
    try noteFile(file, of: node)
    try setStage(.sealed, of: node)
    try forgetMissing(node)
    try queueDataUpload(forNodeID: node)
  }

  /// Has the next transfer ask the app for a node's file, and queues the upload of both.
  public func promiseFile(of node: NodeID) throws {
    try setStage(.promised, of: node)
    try queueDataUpload(forNodeID: node)
  }

  func setStage(_ stage: FileStage, of node: NodeID) throws {
    try db.execute(
      sql: "INSERT INTO file_uploads (node, stage) VALUES (?1, ?2) ON CONFLICT (node) DO UPDATE SET stage = ?2",
      arguments: [node, stage.rawValue])
    if stage == .sealed, let file = try file(of: node) { try keepUntilSent(file) }
  }

  /// Has what lies here of a file stay until a server has it: it is not in the cache any more, where others would crowd it out.
  public func keepUntilSent(_ file: NodeFile) throws {
    try db.execute(
      sql: """
        UPDATE stored_sections SET mode = 'persistent', after_upload = 'cache', expires = NULL
        WHERE root = ? AND mode = 'cache'
        """, arguments: [file.root])
  }

  /// Whether a node's file is not listed by the server's header yet.
  func isOnItsWay(_ node: NodeID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM file_uploads WHERE node = ?")
    return try Int.fetchOne(statement, arguments: [node]) != nil
  }

  /// Whether a node has to wait with its upload, because the server has not got its file.
  func isWaitingForFile(_ node: NodeID) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM file_uploads WHERE node = ? AND stage <> 'sent'")
    return try Int.fetchOne(statement, arguments: [node]) != nil
  }

  /// What a header that came says of a node's file. One that is on its way up from here stays.
  func learnFile(_ file: NodeFile?, of node: NodeID) throws {
    if try isOnItsWay(node) { return }
    guard let file else { return try removeFile(of: node) }
    try noteFile(file, of: node)
  }

  /// A header that lists what a node has now has arrived.
  func endUpload(_ header: HeaderBody, of node: NodeID) throws {
    guard let reference = header.content(.data), reference.file != nil else { return }
    try db.execute(
      sql: """
        DELETE FROM file_uploads WHERE node = ?1 AND stage = 'sent'
          AND EXISTS (SELECT 1 FROM node_files f WHERE f.node = ?1 AND f.root = ?2)
        """, arguments: [node, reference.hash])
    try settleUpload(of: reference.hash)
  }

  /// How often a file is sent again that the server says it has not.
  static let patienceWithMissing = 3

  /// The server has not, or not any more, the file that a node lists. Whether there is one here to send. One that says so each time has had it often enough.
  func sendFileAgain(of node: NodeID?) throws -> Bool {
    guard let node, let file = try file(of: node), try isWhole(file) else { return false }
    let missing = try Int.fetchOne(db, sql: "SELECT missing FROM file_uploads WHERE node = ?", arguments: [node]) ?? 0
    guard missing < Self.patienceWithMissing else { return false }
    try setStage(.sealed, of: node)
    try db.execute(sql: "UPDATE file_uploads SET missing = ? WHERE node = ?", arguments: [missing + 1, node])
    return true
  }

  /// Has a node's file sent again as if the server had never been without it: another file, or its user wants it tried again.
  func forgetMissing(_ node: NodeID) throws {
    try db.execute(
      sql: """
        UPDATE file_uploads SET missing = 0, stage = iif(missing > 0 AND stage = 'sent', 'sealed', stage) WHERE node = ?
        """, arguments: [node])
  }

  /// Whether all of a file lies on this disk, as far as the tables know.
  func isWhole(_ file: NodeFile) throws -> Bool {
    try file.layout.storedSections.allSatisfy { try storedSection($0, of: file)?.isWhole == true }
  }
}

/// A file that has to be asked for or sent before its node can be.
struct FileUpload {
  let node: Node
  let stage: FileStage
  /// Nil while it is promised.
  let file: NodeFile?
}

extension CloudTransaction {
  /// The files on their way up whose nodes wait for nothing else but them, or for what comes before; smallest first, so that a photo does not wait for
  /// a film. What the server refused waits for its user.
  func fileUploads() throws -> [FileUpload] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT u.node, u.stage FROM file_uploads u LEFT JOIN node_files f ON f.node = u.node
        WHERE u.stage <> 'sent' AND EXISTS (SELECT 1 FROM operations o
          WHERE o.node = u.node AND o.kind = 'put' AND o.state = 'pending')
        ORDER BY u.stage = 'promised' DESC, f.length, u.node
        """
    ).compactMap { row in
      guard let node = try node(row[0]), let stage = FileStage(rawValue: row[1]) else { return nil }
      return FileUpload(node: node, stage: stage, file: stage == .promised ? nil : try file(of: node.id))
    }
  }

  /// How many files wait to be sent, with the bytes that they have together. What was refused is not among them.
  public func waitingFiles() throws -> (count: Int, bytes: Int64) {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT count(*), coalesce(sum(f.length), 0) FROM file_uploads u LEFT JOIN node_files f ON f.node = u.node
        WHERE u.stage <> 'sent' AND EXISTS (SELECT 1 FROM operations o
          WHERE o.node = u.node AND o.kind = 'put' AND o.state = 'pending')
        """)
    return (row?[0] ?? 0, row?[1] ?? 0)
  }

  /// Whether the server has files, whoever sent them, that the next sync lists.
  public func hasFilesToList() throws -> Bool {
    try Bool.fetchOne(
      db,
      sql: """
        SELECT EXISTS (SELECT 1 FROM file_uploads u JOIN operations o ON o.node = u.node
          WHERE u.stage = 'sent' AND o.kind = 'put' AND o.state <> 'refused')
        """) ?? false
  }

  /// Keeps what the server will not have, with its reason, until the user tries it again or gives it up.
  func refuseFile(of node: NodeID, _ reason: Refusal) throws {
    try db.execute(
      sql: "UPDATE operations SET state = 'refused', reason = ? WHERE node = ? AND kind = 'put' AND state = 'pending'",
      arguments: [reason.rawValue, node])
  }
}
