import CloudAPI
import Foundation
import GRDB
import Signing
import Testing

/// Whoever has all that a server keeps cannot find out whether a guessed title is on it: nothing there follows from plain text and ids that
/// are public, as the hash of a title would.
@Suite struct GuessedTitleTests {
  /// What a guesser guesses right: titles, names of lists, lines of files with their ids, words of a conversation.
  private static let guesses = [
    "divorce lawyer", "Garden", "pay rent", "buy milk", "2026-11-01 buy milk +Shop", "Shop", "uid-77", "call the vet",
    "see you at noon", "every day", "alice", "bob", "carrots", "Todo",
  ]

  private static let story = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
    bob$ todo signup bob --server http://127.0.0.1:<port:server> --quiet
    alice$ todo add Garden "divorce lawyer" "pay rent" --due today --repeat daily --quiet
    alice$ todo add Garden carrots --under "pay rent" --quiet
    alice$ printf '2026-11-01 buy milk +Shop\\n' > todo.txt && todo import todo.txt --quiet
    alice$ printf 'BEGIN:VCALENDAR\\nBEGIN:VTODO\\nUID:uid-77\\nSUMMARY:call the vet\\nEND:VTODO\\nEND:VCALENDAR\\n' > f.ics
    alice$ todo import f.ics --quiet
    alice$ todo share Garden --with bob --quiet
    bob$ todo accept 1 --quiet
    bob$ todo done "divorce lawyer" --quiet && todo comment "pay rent" "see you at noon" --quiet
    bob$ todo message alice "see you at noon" --quiet
    alice$ todo sync --quiet && todo done "pay rent" --quiet && todo mv carrots --to Shop --quiet
    alice$ todo message bob "see you at noon" --quiet
    alice$ todo sync --quiet
    bob$ todo sync --quiet
    """

  @Test func noGuessIsConfirmed() async throws {
    let page = try Page(name: "(what can be guessed)", text: Self.story)
    let kept = try await onThread { () -> Kept in
      let stage = try Stage()
      defer { try? stage.clear() }
      try stage.play(page)
      return try Kept(stage.folder.appending(path: "server"))
    }
    // A trunk and a user's own node follow from public ids by design: that they are found shows that we look in the right place.
    #expect(kept.users.count == 2 && kept.ids.count > 30)
    for user in kept.users { #expect(kept.holds(Trunk.home.cloudID(of: user).bytes)) }
    for text in Self.guesses {
      let text = Array(text.utf8)
      for domain in Domain.allCases {
        #expect(!kept.holds(aHashOf: text, domain), "\(domain)")
        for id in kept.ids {
          let isConfirmed =
            kept.holds(aHashOf: id + text, domain) || kept.holds(aHashOf: text + id, domain)
            || kept.holds(keyed(SecretBytes(id), domain, text))
          #expect(!isConfirmed, "\(domain)")
        }
      }
    }
  }
}

/// All that a server keeps, by the first eight bytes at each place of it.
private struct Kept {
  /// The ids that stand in columns of their own.
  let ids: Set<[UInt8]>
  let users: [UserID]
  private var windows: Set<UInt64> = []

  init(_ folder: URL) throws {
    let database = try DatabaseQueue(path: folder.appending(path: "todo-server.sqlite").path)
    (ids, users) = try database.read { db in
      var ids: Set<[UInt8]> = []
      for table in try String.fetchAll(db, sql: "SELECT name FROM sqlite_master WHERE type = 'table'") {
        for row in try Row.fetchAll(db, sql: "SELECT * FROM \"\(table)\"") {
          for value in row.databaseValues {
            guard case .blob(let blob) = value.storage, [CloudID.length, UserID.length].contains(blob.count) else {
              continue
            }
            ids.insert(Array(blob))
          }
        }
      }
      return (ids, try UserID.fetchAll(db, sql: "SELECT user FROM accounts"))
    }
    var window: UInt64 = 0
    for byte in try Data(allOf: folder) {
      window = window << 8 | UInt64(byte)
      windows.insert(window)
    }
  }

  func holds(_ bytes: [UInt8]) -> Bool {
    windows.contains(bytes.prefix(8).reduce(0) { $0 << 8 | UInt64($1) })
  }

  /// Whether it holds one of the hashes of some bytes, as long as an id or as a hash.
  func holds(aHashOf bytes: [UInt8], _ domain: Domain) -> Bool {
    holds(digest(domain, bytes, length: CloudID.length)) || holds(digest(domain, bytes).bytes)
  }
}
