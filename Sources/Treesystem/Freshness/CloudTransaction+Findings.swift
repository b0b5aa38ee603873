import CloudAPI
import Foundation
import GRDB
import Signing

extension CloudTransaction {
  /// Every contradiction that the user has not put aside, the first first.
  public func findings() throws -> [Finding] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT id, branch, kind, line, known, told, known_user, known_device, told_user, told_device, first_seen, last_seen,
          ended FROM findings WHERE forgotten = 0 ORDER BY first_seen, id
        """
    ).compactMap { row in
      guard let kind = Finding.Kind(rawValue: row[2]) else { return nil }
      return Finding(
        number: row[0], branch: row[1], kind: kind, line: UInt64(row[3] as Int64), known: row[4], told: row[5],
        knownBy: Self.signer(row[6], row[7]), toldBy: Self.signer(row[8], row[9]), firstSeen: row[10],
        lastSeen: row[11], ended: row[12])
    }
  }

  private static func signer(_ user: UserID?, _ device: DeviceID?) -> Finding.Signer? {
    guard let user, let device else { return nil }
    return Finding.Signer(user: user, device: device)
  }

  /// Puts a contradiction aside, because the user knows of it: what it stopped goes on. False: there is none of this number.
  @discardableResult
  public func forgetFinding(_ number: Int64) throws -> Bool {
    try db.execute(sql: "UPDATE findings SET forgotten = 1 WHERE id = ? AND forgotten = 0", arguments: [number])
    return db.changesCount > 0
  }

  /// Notes a contradiction, or that it was seen once more. One that the user put aside stays aside.
  func note(_ found: Contradiction, of branch: BranchID) throws {
    guard let cloudID = try cloudID(of: branch) else { return }
    try db.execute(
      sql: """
        INSERT INTO findings (branch, kind, line, known, told, known_user, known_device, told_user, told_device, first_seen,
          last_seen, cited) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET cited = max(cited, excluded.cited), last_seen = max(last_seen, excluded.last_seen), ended = NULL,
          known_user = coalesce(known_user, excluded.known_user),
          known_device = coalesce(known_device, excluded.known_device),
          told_user = coalesce(told_user, excluded.told_user), told_device = coalesce(told_device, excluded.told_device)
        """,
      arguments: [
        cloudID, found.kind.rawValue, Int64(clamping: found.line), found.known, found.told, found.knownBy?.user,
        found.knownBy?.device, found.toldBy?.user, found.toldBy?.device, clock.now(), clock.now(),
        found.reason != nil,
      ])
  }

  /// Notes that a server named a head and kept a record back that the branch needs to be read.
  func noteWithheld(from branch: BranchID, _ head: WireBranchHead) throws {
    guard let cursor = try cursor(of: branch), let told = Hash32(bytes: head.logHash) else { return }
    try note(Contradiction(kind: .omission, line: cursor.line + 1, known: nil, told: told), of: branch)
  }

  /// Whether the user has put this very contradiction aside.
  func isForgotten(_ found: Contradiction, of branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM findings f JOIN branches b ON b.cloud_id = f.branch
        WHERE b.id = ? AND f.kind = ? AND f.line = ? AND f.told = ? AND f.forgotten = 1
        """, arguments: [branch, found.kind.rawValue, Int64(clamping: found.line), found.told]) != nil
  }

  /// Where members have signed that the branch was, and what was read is not, or not yet. While there is any, nothing more of it is
  /// believed that does not lead there, until the user decides.
  func demands(on branch: BranchID) throws -> [LogHead] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT f.line, f.told FROM findings f JOIN branches b ON b.cloud_id = f.branch
        WHERE b.id = ? AND f.cited = 1 AND f.forgotten = 0 AND f.ended IS NULL
        """, arguments: [branch]
    ).map { LogHead(line: UInt64($0[0] as Int64), hash: $0[1]) }
  }

  /// The branches of which the server shows another past.
  func forkedBranches() throws -> [BranchID] {
    try BranchID.fetchAll(db, sql: "SELECT id FROM branches WHERE trouble = ?", arguments: [Refusal.fork.rawValue])
  }

  /// Whether another past of a branch was shown than was read, whatever the server says of it since.
  func hasFork(of branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM findings f JOIN branches b ON b.cloud_id = f.branch
        WHERE b.id = ? AND f.kind = ? AND f.cited = 0 AND f.ended IS NULL
        """, arguments: [branch, Finding.Kind.fork.rawValue]) != nil
  }

  /// The branches that the server says this user may not read. Somebody may have been removed there whom this device cannot give a new key,
  /// so that what is written there would go out under the one that they have.
  func deniedBranches() throws -> Set<BranchID> {
    try Set(
      BranchID.fetchAll(
        db, sql: "SELECT id FROM branches WHERE trouble IN (?, ?)",
        arguments: [Refusal.branchDenied.rawValue, Refusal.refusalUnfounded.rawValue]))
  }

  /// Whether anything is open that the head of a branch may decide: most have nothing.
  func awaitsHead(_ branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db,
      sql: """
        SELECT 1 FROM acknowledged WHERE branch = ?1 UNION ALL
        SELECT 1 FROM findings f JOIN branches b ON b.cloud_id = f.branch
        WHERE b.id = ?1 AND f.ended IS NULL AND (f.kind <> 'fork' OR f.cited = 1) LIMIT 1
        """, arguments: [branch]) != nil
  }

  /// The branch was read to a head that continues what is here: a server that had gone back is where it was, and what was
  /// kept back has come, unless it still lies in quarantine. Or the log has become the one that an author had read.
  func endFindings(of branch: BranchID) throws {
    try db.execute(
      sql: """
        UPDATE findings SET ended = ?2 WHERE ended IS NULL
          AND branch = (SELECT cloud_id FROM branches WHERE id = ?1)
          AND CASE WHEN cited = 1 THEN EXISTS (SELECT 1 FROM lines l
              WHERE l.branch = ?1 AND l.number = findings.line AND l.log_hash = findings.told)
            WHEN kind = 'omission' THEN EXISTS (SELECT 1 FROM lines l WHERE l.branch = ?1 AND l.number = findings.line
                AND l.log_hash = coalesce(findings.known, l.log_hash))
              AND NOT EXISTS (SELECT 1 FROM quarantine q WHERE q.branch = ?1 AND q.line = findings.line)
            ELSE kind = 'rollback' END
        """, arguments: [branch, clock.now()])
  }

  /// Who signed what is kept of the history from a line on; nil where nothing is.
  func signer(of branch: BranchID, from line: UInt64) throws -> Finding.Signer? {
    let row = try Row.fetchOne(
      db,
      sql: """
        SELECT l.kind, coalesce(p.record, s.header, s.tombstone) AS signed FROM lines l
        LEFT JOIN permissions p ON p.branch = l.branch AND p.line = l.number
        LEFT JOIN node_states s ON s.branch = l.branch AND s.cloud_id = l.cloud_id AND s.hash = l.hash
        WHERE l.branch = ? AND l.number >= ? AND signed IS NOT NULL ORDER BY l.number LIMIT 1
        """, arguments: [branch, Int64(clamping: line)])
    guard let row, let kind = Line.Kind(rawValue: row[0]) else { return nil }
    let record = try SignedRecord(encoded: Array(row[1] as Data))
    let author =
      switch kind {
      case .header: try HeaderBody(decoding: record.body).author
      case .tombstone: try TombstoneBody(decoding: record.body).author
      case .permissions: try PermissionsBody(decoding: record.body).author
      }
    return Finding.Signer(author)
  }
}
