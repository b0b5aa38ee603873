import CloudAPI
import Dates
import Foundation
import Sharing
import Signing
import Testing
import TodoCore
import Treesystem

@testable import TodoCLI

/// How a profile looks, with text that nobody should be able to use against a terminal.
final class PageTests {
  private let folder = FileManager.default.temporaryDirectory.appendingPathComponent("todo-cli-\(UUID().uuidString)")
  private let database: CloudDatabase
  private let dates = DatePhrase(now: 0, zone: .utc)

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try CloudDatabase(
      path: folder.appendingPathComponent("todo.db").path, appMigrations: sharingMigrations + TodoTables.migrations)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test func aListShowsWhatIsOpenAndWhatWasJustDone() throws {
    let (lines, ids) = try database.write { transaction in
      let list = try transaction.makeList("Groceries")
      let todos = try transaction.addTodos(["milk", "שלום", "eggs"].map { try Title($0) }, to: list.node)
      try transaction.setDone(true, todos[0])
      let page = ListsPage(contents: try transaction.contents(of: WantedTodos(["groceries"], .recent, dates)))
      return (page.lines(Style(isColoured: false)), todos.map(\.shortID))
    }
    #expect(
      lines.joined() == """
        Groceries  2 open
          \(ids[1]) שלום
          \(ids[2]) eggs
        ✓ \(ids[0]) milk
        """)
  }

  @Test func coloursAreForTerminalsOnly() {
    #expect(Style(isColoured: false).heading("a") == "a")
    #expect(Style(isColoured: true).heading("a") == "\u{1B}[1ma\u{1B}[0m")
  }

  @Test func eachTitleStandsOnceInJSON() throws {
    let page = try database.write { transaction in
      let list = try transaction.makeList("Groceries")
      try transaction.addTodos([Title("milk")], to: list.node)
      return ListsPage(contents: try transaction.contents(of: WantedTodos([], .all, dates)))
    }
    let text = JSON.object(page.members).encoded
    #expect(text.components(separatedBy: "\"milk\"").count == 2)
    #expect(text.contains("\"done_at\":null"))
  }

  /// New keys after a device was ended are for what is this account's alone, too.
  @Test func whatIsTheAccountsOwnIsNoListThatIsGone() throws {
    let texts = try database.write { transaction in
      for trunk in [Trunk.home, .prefs] {
        let root = try transaction.trunk(trunk)
        try transaction.enqueue(
          .permit, branch: root.branch, node: nil, cloudID: nil, user: UserID(bytes: [UInt8](repeating: 1, count: 20)))
      }
      return try transaction.queuedChanges().map(\.words.text)
    }
    #expect(texts.count == 2)
    #expect(texts.allSatisfy { $0.hasPrefix("giving your account a new key because of ") })
  }

  /// It would be read as a change of role, which an owner's device never sends by itself.
  @Test func aTransferIsNoChangeOfRole() throws {
    let words = try database.write { transaction in
      let list = try transaction.makeList("Berry")
      let operation = try transaction.enqueue(
        .permit, branch: list.branch, node: nil, cloudID: nil, user: UserID(bytes: [UInt8](repeating: 1, count: 20)),
        letters: [.read, .write, .share], handsOver: true)
      let queued = try transaction.operations().first { $0.sequence == operation.sequence }
      return try transaction.words(for: #require(queued), transaction.lists())
    }
    #expect(words.text.hasPrefix("giving Berry to ") && words.kinds == [.shared])
  }

  @Test func severalReferencesSucceedOrFailTogether() throws {
    try database.write { transaction in
      let list = try transaction.makeList("Groceries")
      try transaction.addTodos([Title("milk")], to: list.node)
    }
    #expect(throws: Complaint.self) {
      try database.write { transaction in
        for todo in try transaction.requireTodos(["milk", "nothing"]) { try transaction.setDone(true, todo) }
      }
    }
    #expect(try database.read { try $0.contents(of: WantedTodos([], .recent, dates))[0].openCount } == 1)
  }
}
