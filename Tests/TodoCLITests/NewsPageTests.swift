import Foundation
import Sharing
import Testing
import Treesystem

@testable import TodoCLI
@testable import TodoCore

/// News of one kind as one sentence that is true.
final class NewsPageTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "todo-news-\(UUID().uuidString)")
  private let database: CloudDatabase
  private let list: TodoList
  private let todos: [Todo]

  init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    database = try CloudDatabase(
      path: folder.appending(path: "todo.db").path, appMigrations: sharingMigrations + TodoTables.migrations)
    (list, todos) = try database.write { transaction in
      let list = try transaction.makeList("Groceries")
      return (list, try transaction.addTodos([Title("milk"), Title("eggs")], to: list.node))
    }
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func group(_ kind: News.Kind, _ items: [(node: NodeID?, title: String, before: String)]) -> NewsGroup {
    NewsGroup(
      items: items.enumerated().map { number, item in
        let news = News(
          id: Int64(number), time: 0, list: list.node, node: item.node, author: nil, kind: kind, title: item.title,
          detail: item.before)
        return NamedNews(news: news, deed: NamedDeed(by: "bob"), list: list, todo: nil)
      })
  }

  @Test func aListThatWasRenamedAndBackWasNotRenamedToItself() {
    let names = ["Groceries", "Food", "Fodder", "Groceries"]
    func renaming(_ count: Int) -> String {
      group(.retitled, (1...count).map { (list.node, names[$0], names[$0 - 1]) }).sentence
    }
    #expect(renaming(1) == "bob renamed Groceries to Food")
    #expect(renaming(2) == "bob renamed Groceries to Fodder")
    #expect(renaming(3) == "bob renamed Groceries to Fodder and back")
  }

  @Test func whatHappenedToAnImageIsSaid() {
    #expect(group(.edited, [(todos[0].node, "milk", "")]).sentence == "bob changed milk on Groceries")
    #expect(
      group(.edited, [(todos[0].node, "milk", News.imageAttached)]).sentence
        == "bob attached an image to milk on Groceries")
    #expect(
      group(.edited, [(todos[0].node, "milk", News.imageRemoved)]).sentence
        == "bob took the image off milk on Groceries")
  }

  @Test func aTodoThatWasChangedTwiceIsOneThing() {
    let twice = group(.retitled, [(todos[0].node, "oat milk", "milk"), (todos[0].node, "milk", "oat milk")])
    #expect(twice.sentence == "bob renamed milk on Groceries" && twice.titles.isEmpty)
    let both = group(.done, [(todos[0].node, "milk", ""), (todos[1].node, "eggs", ""), (todos[0].node, "milk", "")])
    #expect(both.sentence == "bob ticked 2 things on Groceries" && both.titles == ": milk, eggs")
    // Of what is gone nobody can tell whether it was the same.
    #expect(group(.removed, [(nil, "tea", ""), (nil, "tea", "")]).sentence == "bob removed 2 things from Groceries")
  }

  /// Each change stands alone, and what somebody typed cannot steer the terminal.
  @Test func theLogSaysEachChangeInALine() {
    func line(_ kind: News.Kind, _ title: String, _ detail: String) -> String {
      let items = group(kind, [(todos[0].node, title, detail)]).items
      return LogPage(changes: items).lines(Style(isColoured: false)).map { String($0.dropFirst(18)) }.joined()
    }
    #expect(line(.retitled, "oat milk", "milk") == "bob renamed milk to oat milk on Groceries")
    #expect(line(.commented, "milk", "one\u{1B}[2J\u{202E}") == "bob commented on milk on Groceries: one[2J")
    #expect(line(.done, "m\u{7}ilk", "") == "bob ticked milk on Groceries")
  }

  /// Without an account neither has an author.
  @Test func whatSomebodyDidIsNotOnesOwn() throws {
    try database.write { transaction in
      try transaction.addNews(.removed, nil, on: list.node, by: Deed(nil), at: 0, title: "eggs", detail: "")
      let changes = try transaction.named(transaction.log(limit: 10))
      #expect(changes.map(\.news.title) == ["eggs", "milk", "eggs"])
      #expect(changes.map { $0.by == "you" } == [true, true, false])
    }
  }
}
