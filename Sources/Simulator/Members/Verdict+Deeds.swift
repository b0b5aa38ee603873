import Foundation
import GRDB
import Sharing
import Signing
import TodoCore
import Treesystem

/// No device shows somebody for a value that their client never wrote.
extension Verdict {
  func judgeDeeds(_ member: HostileMember) {
    var handles: [UserID: String] = [:]
    for person in world.people {
      if let user = try? world.server.user(handle: person.handle) { handles[user] = person.handle }
    }
    for seat in seats {
      seen(seat) { transaction in
        for node in try NodeID.fetchAll(
          transaction.db, sql: "SELECT node FROM todos UNION ALL SELECT node FROM lists ORDER BY node")
        {
          try judgeDeeds(at: node, seat, handles, member, transaction)
        }
        try judgeNews(seat, handles, member, transaction)
      }
    }
  }

  private func judgeDeeds(
    at node: NodeID, _ seat: Seat, _ handles: [UserID: String], _ member: HostileMember,
    _ transaction: CloudTransaction
  ) throws {
    guard let content = try transaction.anyContent(of: node) else { return }
    // Whose words a comment's are, a device writes by itself where they are not proven: nobody's deed, and shown as none.
    for write in content.document.registers + content.document.elements where write.field != Field.writer.rawValue {
      let deed = try transaction.deed(of: write, at: node)
      guard deed.via == nil, let person = deed.user.flatMap({ handles[$0] }), person != HostileMember.handle,
        !member.authorship.hasWritten(person, write.field, write.value)
      else { continue }
      world.fail("\(seat.name) shows \(person) for what their client never wrote: \(write.words)")
    }
  }

  /// The news of a title names who wrote it.
  private func judgeNews(
    _ seat: Seat, _ handles: [UserID: String], _ member: HostileMember, _ transaction: CloudTransaction
  ) throws {
    for item in try transaction.news(since: 0) {
      guard item.kind == .added || item.kind == .retitled, item.via == nil,
        let person = item.author.flatMap({ handles[$0] }), person != HostileMember.handle
      else { continue }
      if !member.authorship.hasWritten(person, Field.title.rawValue, Array(item.title.utf8)) {
        world.fail("\(seat.name) has news of \(person), whose client never wrote '\(item.title)'")
      }
    }
  }
}

extension CloudTransaction {
  /// The document of a list or a todo.
  fileprivate func anyContent(of node: NodeID) throws -> VersionedDocument? {
    let sql = """
      SELECT document, history FROM todos WHERE node = ?1
      UNION ALL SELECT document, history FROM lists WHERE node = ?1
      """
    guard let row = try Row.fetchOne(db, sql: sql, arguments: [node]) else { return nil }
    return VersionedDocument(
      try Document(bytes: Array(row[0] as Data)), history: try TodoCore.History(bytes: Array(row[1] as Data)))
  }
}
