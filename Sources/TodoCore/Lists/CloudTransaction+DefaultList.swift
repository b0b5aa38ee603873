import CloudAPI
import GRDB
import Sharing
import Signing
public import Treesystem

/// The list for a todo for which none is named.
public enum DefaultList: Sendable {
  case list(TodoList)
  /// There is none: whoever adds something makes it.
  case none
  /// One with the name has other members, and this person never said that it is meant.
  case shared(TodoList)
  /// It hangs here, and nothing of it was read yet.
  case unread
}

/// The default list is an id that only this person's devices write (spec §7.14). Nobody's title, order or date is asked.
extension CloudTransaction {
  private static let setting = "default-list"

  /// The list that was chosen; where none was, a private one with this name.
  public func defaultList(named name: ListName = .standard) throws -> DefaultList {
    if !Defect.defaultByTitle.isPlanted, let branch = try chosenDefaultList(),
      let chosen = try hangingLists().first(where: { $0.branch == branch })
    {
      return chosen.list.map { .list($0) } ?? .unread
    }
    guard let list = try lists().first(where: { folded($0.name) == folded(name.text) }) else { return .none }
    return list.isShared && !Defect.defaultByTitle.isPlanted ? .shared(list) : .list(list)
  }

  /// Chooses the list for todos for which none is named, on all of this person's devices.
  public func setDefaultList(_ list: TodoList) throws { try setDefaultList(list.branch) }

  func setDefaultList(_ branch: BranchID) throws {
    guard try chosenDefaultList() != branch, let cloudID = try cloudID(of: branch), let root = try root(of: branch)
    else {
      return
    }
    // What the account's other devices have chosen is to be seen before anything else is said.
    guard try account() != nil, try isCaughtUp(trunk(.prefs).branch) else { return try setHere(root.id) }
    try setSetting(Self.setting, to: cloudID.bytes)
    try setHere(nil)
  }

  /// The branch that was chosen, whether it hangs here or not.
  func chosenDefaultList() throws -> BranchID? {
    if try account() != nil, let bytes = try setting(Self.setting) {
      return try CloudID(bytes: bytes).flatMap { try branch($0) }
    }
    return try chosenHere()
  }

  /// Tells this person's other devices what was chosen here before there was an account, unless they say otherwise.
  func keepDefaultList() throws {
    guard let branch = try chosenHere(), try account() != nil, try isCaughtUp(trunk(.prefs).branch) else { return }
    if try setting(Self.setting) == nil, let cloudID = try cloudID(of: branch) {
      try setSetting(Self.setting, to: cloudID.bytes)
    }
    try setHere(nil)
  }

  /// Keeps what was chosen on this device alone, which is about to lose its account and to keep its lists.
  func keepDefaultListHere() throws {
    guard let branch = try chosenDefaultList(), let root = try root(of: branch) else { return }
    try setHere(root.id)
  }

  private func chosenHere() throws -> BranchID? {
    try BranchID.fetchOne(db, sql: "SELECT n.branch FROM default_list d JOIN nodes n ON n.id = d.node")
  }

  private func setHere(_ root: NodeID?) throws {
    try db.execute(sql: "DELETE FROM default_list")
    if let root { try db.execute(sql: "INSERT INTO default_list (id, node) VALUES (1, ?)", arguments: [root]) }
  }
}

extension TodoTables {
  /// The default list while there is no account whose other devices have to know it.
  static let defaultList = AppMigration(name: "todo-17-default-list") { db in
    try db.execute(
      sql: """
        CREATE TABLE default_list (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          node INTEGER NOT NULL UNIQUE REFERENCES nodes (id) ON DELETE CASCADE
        ) STRICT;
        """)
  }
}
