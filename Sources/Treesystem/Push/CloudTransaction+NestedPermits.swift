import CloudAPI
import Foundation
import GRDB
import Signing

/// Who came or went around a nested branch while it was made (spec §3.8). Its first record names the people of one moment; who
/// changed them meanwhile did not know of it.
extension CloudTransaction {
  /// Queues for nested branches what was changed around them without them.
  func queueNestedPermits() throws {
    guard let me = try account()?.user else { return }
    let open = try BranchID.fetchAll(
      db,
      sql: """
        SELECT i.id FROM branches i JOIN branches o ON o.id = i.enclosing
        WHERE i.nesting = 1 AND i.trouble IS NULL AND o.trouble IS NULL AND i.line > 0
        """)
    for branch in open {
      try db.execute(sql: "UPDATE branches SET nesting = 0 WHERE id = ?", arguments: [branch])
      guard let body = try permissions(of: branch)?.body, let outer = try enclosing(of: branch), !body.isClosed,
        body.letters(of: me).contains(.share), try !isLeaving(branch)
      else { continue }
      for (user, letters) in try missed(by: branch, in: outer, me) {
        try enqueue(
          .permit, branch: branch, node: nil, cloudID: body.branch, user: user, letters: letters,
          read: cursor(of: branch))
      }
    }
  }

  /// The letters that people have around a branch by records that did not know of it, where it never decided about them itself.
  private func missed(
    by branch: BranchID, in outer: BranchID, _ me: UserID
  ) throws -> [(user: UserID, letters: Letters)] {
    let inner = try permissionsHistory(of: branch)
    let around = try numberedPermissions(of: outer)
    guard let first = inner.first, try first.enclosing?.branch == cloudID(of: outer), let now = inner.last,
      let version = first.enclosing?.permissionsVersion,
      let then = around.first(where: { $0.body.version == version })?.body, let outside = around.last?.body
    else { return [] }
    let line = try pointerLine(of: branch, in: outer)
    var before = then
    var users: Set<UserID> = []
    for (number, record) in around where record.version > version {
      let isOwn = record.author.user == me || (first.author.user == me && number < line)
      for user in before.changed(to: record) where isOwn || record.author.user == user { users.insert(user) }
      before = record
    }
    let decided = zip(inner, inner.dropFirst()).reduce(into: Set<UserID>()) { $0.formUnion($1.0.changed(to: $1.1)) }
    let queued = try Set(permitOperations(of: branch).filter { $0.letters != nil }.compactMap(\.user))
    return users.subtracting(decided).subtracting(queued).subtracting([me, now.owner]).sorted().compactMap { user in
      guard first.letters(of: user) == then.letters(of: user) else { return nil }
      let letters = outside.entry(of: user)?.letters ?? []
      return letters == now.entry(of: user)?.letters ?? [] ? nil : (user, letters)
    }
  }

  private func numberedPermissions(of branch: BranchID) throws -> [(line: Int64, body: PermissionsBody)] {
    try Row.fetchAll(
      db, sql: "SELECT line, record FROM permissions WHERE branch = ? ORDER BY version", arguments: [branch]
    ).map { ($0[0], try PermissionsBody(decoding: SignedRecord(encoded: Array($0[1] as Data)).body)) }
  }

  /// From which line on those who signed something had read where a branch hangs.
  private func pointerLine(of branch: BranchID, in outer: BranchID) throws -> Int64 {
    try Int64.fetchOne(
      db,
      sql: """
        SELECT min(l.number) FROM nodes n JOIN lines l ON l.branch = n.branch AND l.cloud_id = n.cloud_id
        WHERE n.branch = ? AND n.pointer = ?
        """, arguments: [outer, branch]) ?? .max
  }

  /// Has the next sync look at a branch that was found nested, and at those below one whose permissions are new.
  func noteNesting(of branch: BranchID) throws {
    try db.execute(
      sql: """
        UPDATE branches SET nesting = 1 WHERE enclosing = ?1 OR (id = ?1 AND enclosing IS NOT NULL)
        """, arguments: [branch])
  }
}

extension PermissionsBody {
  /// The users whose own letters are others in a later record.
  fileprivate func changed(to later: PermissionsBody) -> Set<UserID> {
    let users = Set((entries + later.entries).compactMap(\.user))
    return users.filter { entry(of: $0)?.letters != later.entry(of: $0)?.letters }
  }
}
