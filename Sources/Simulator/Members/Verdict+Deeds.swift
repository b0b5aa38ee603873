import Foundation
import GRDB
import Signing
import TodoCore
import Treesystem

extension Verdict {
  /// No device shows somebody for a value that their client never wrote.
  func judgeDeeds(_ member: HostileMember) {
    guard let hers = try? world.server.user(handle: HostileMember.handle) else { return }
    for seat in seats {
      seen(seat) { transaction in
        let rows = try Row.fetchAll(
          transaction.db, sql: "SELECT node, document FROM todos UNION ALL SELECT node, document FROM lists")
        for row in rows {
          let document = try Document(bytes: Array(row[1] as Data))
          for write in document.registers + document.elements where member.authorship.isHersAlone(write) {
            let deed = try transaction.deed(of: write, at: row[0])
            guard let user = deed.user, user != hers, deed.via == nil else { continue }
            world.fail("\(seat.name): field \(write.field) of '\(document.title)' is shown as the deed of \(user)")
          }
        }
      }
    }
  }
}
