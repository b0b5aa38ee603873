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
  /// One that has other members, and this person never said that it is meant.
  case shared(TodoList)
  /// It hangs here, and nothing of it was read yet.
  case unread
}

/// The default list is an id that only this person's devices write (spec §7.14). Nobody's title, order or date is asked.
extension CloudTransaction {
  private static let setting = "default-list"

  /// The list that was chosen; where none was, a private one with this name.
  public func defaultList(named name: ListName = .standard) throws -> DefaultList {
    if !Defect.defaultByTitle.isPlanted, let choice = try defaultChoice(),
      let chosen = try hangingLists().first(where: { $0.branch == choice.branch })
    {
      guard let list = chosen.list else { return .unread }
      return list.isShared && !choice.isSaid ? .shared(list) : .list(list)
    }
    guard let list = try lists().first(where: { folded($0.name) == folded(name.text) }) else { return .none }
    return list.isShared && !Defect.defaultByTitle.isPlanted ? .shared(list) : .list(list)
  }

  /// Whether this person has said it, or added something without naming a list, as far as this device knows.
  package func hasChosenDefaultList() throws -> Bool { try defaultChoice() != nil }

  /// This person says which list is for todos for which none is named, on all of their devices.
  public func setDefaultList(_ list: TodoList) throws {
    try setDefaultChoice(DefaultChoice(branch: list.branch, isSaid: true))
  }

  /// Goes on with a list to which something was added without naming one: what is called so later changes nothing. Nobody said that
  /// others may read what comes there, should it be shared one day.
  public func settleDefaultList(_ list: TodoList) throws {
    guard try defaultChoice()?.branch != list.branch else { return }
    try setDefaultChoice(DefaultChoice(branch: list.branch, isSaid: false))
  }

  func setDefaultChoice(_ choice: DefaultChoice) throws {
    guard try defaultChoice() != choice, let cloudID = try cloudID(of: choice.branch),
      let root = try root(of: choice.branch)
    else { return }
    // What the account's other devices have chosen is to be seen before anything else is said.
    guard try account() != nil, try isCaughtUp(trunk(.prefs).branch) else {
      return try setHere(root.id, isSaid: choice.isSaid)
    }
    try setSetting(Self.setting, to: cloudID.bytes + (choice.isSaid ? [1] : []))
    try setHere(nil)
  }

  /// What was chosen, whether it hangs here or not.
  func defaultChoice() throws -> DefaultChoice? {
    guard try account() != nil, let bytes = try setting(Self.setting) else { return try choiceHere() }
    guard let branch = try CloudID(bytes: bytes.prefix(CloudID.length)).flatMap({ try branch($0) }) else { return nil }
    return DefaultChoice(branch: branch, isSaid: bytes.count > CloudID.length)
  }

  /// Tells this person's other devices what was chosen here before there was an account, unless they say otherwise.
  func keepDefaultList() throws {
    guard let choice = try choiceHere(), try account() != nil, try isCaughtUp(trunk(.prefs).branch) else { return }
    try setHere(nil)
    if try setting(Self.setting) == nil { try setDefaultChoice(choice) }
  }

  /// Keeps what was chosen on this device alone, which is about to lose its account and to keep its lists.
  func keepDefaultListHere() throws {
    guard let choice = try defaultChoice(), let root = try root(of: choice.branch) else { return }
    try setHere(root.id, isSaid: choice.isSaid)
  }

  private func choiceHere() throws -> DefaultChoice? {
    try Row.fetchOne(db, sql: "SELECT n.branch, d.said FROM default_list d JOIN nodes n ON n.id = d.node")
      .map { DefaultChoice(branch: $0[0], isSaid: $0[1]) }
  }

  private func setHere(_ root: NodeID?, isSaid: Bool = false) throws {
    try db.execute(sql: "DELETE FROM default_list")
    guard let root else { return }
    try db.execute(sql: "INSERT INTO default_list (id, node, said) VALUES (1, ?, ?)", arguments: [root, isSaid])
  }
}

/// The list that was chosen for todos for which none is named.
struct DefaultChoice: Equatable {
  let branch: BranchID
  /// True where this person named it; false where something was added, and it was the one with the name.
  let isSaid: Bool
}

extension TodoTables {
  /// The default list while there is no account whose other devices have to know it.
  static let defaultList = AppMigration(name: "todo-17-default-list") { db in
    try db.execute(
      sql: """
        CREATE TABLE default_list (
          id INTEGER PRIMARY KEY CHECK (id = 1),
          node INTEGER NOT NULL UNIQUE REFERENCES nodes (id) ON DELETE CASCADE,
          -- whether its user named it
          said INTEGER NOT NULL CHECK (said IN (0, 1))
        ) STRICT;
        """)
  }
}
