import Glibc
import Sharing
import TodoCore
import Treesystem

extension Session {
  /// The database, by SQLite's own word.
  func checkDatabase() throws -> Check {
    let problems: [String]
    do {
      problems = try database.integrityProblems()
    } catch StoreError.damaged {
      return damaged("it cannot be read")
    }
    if let first = problems.first { return damaged(first) }
    let dangling = try read { try $0.danglingRows() }
    guard dangling == 0 else {
      return damaged("\(counted(dangling, "row")) \(dangling == 1 ? "refers" : "refer") to what is not there")
    }
    return Check("database", "sound, \(shortSize(profile.size))")
  }

  private func damaged(_ what: String) -> Check {
    Check(
      "database", "damaged: \(what)",
      .init(
        exit: .disk,
        advice: [
          "copy \(profile.directory) to a safe place before anything else",
          "then move the folder away and sign in again: what was sent comes back",
        ]))
  }

  /// What lists and todos show follows from their documents.
  func checkTodos(mending: Bool) throws -> Check {
    let wrong = try database.write { try $0.nodesWithWrongColumns(mending: mending).count }
    let counts = try read { transaction in
      let lists = try transaction.lists()
      let todos = try lists.reduce(0) { sum, list in
        try [.open, .done, .trash].reduce(sum) { try $0 + transaction.todoCount(in: list.node, $1) }
      }
      return "\(counted(todos, "todo")) on \(counted(lists.count, "list"))"
    }
    if wrong == 0 || mending { return Check("todos", "\(counts), as they are stored", isMended: wrong > 0) }
    return Check(
      "todos", "\(todosOrLists(wrong)) \(wrong == 1 ? "shows" : "show") something else than is stored",
      .init(exit: .disk, advice: ["compute them again: todo doctor --repair"], isMendable: true))
  }

  /// What hangs in home is followed, and each of it is a list that is shown; nil where that is so.
  func checkLists() throws -> Check? {
    let unshown = try read { try $0.unshownLists() }
    if unshown == 0 { return nil }
    return Check(
      "lists", "\(counted(unshown, "list")) that you follow \(unshown == 1 ? "is" : "are") not shown",
      .init(exit: .badData, advice: ["sign in anew on another profile, and compare: todo lists"]))
  }

  /// The folder and its files are this user's, and nobody else's.
  func checkFiles(mending: Bool) throws -> Check {
    let open = exposed()
    if open.isEmpty { return Check("files", "readable by nobody else") }
    if mending {
      for path in open { chmod(path, path == profile.directory ? 0o700 : 0o600) }
      if exposed().isEmpty { return Check("files", "readable by nobody else", isMended: true) }
    }
    return Check(
      "files", "others may get at \(open.joined(separator: ", "))",
      .init(exit: .cannotWrite, advice: ["close them: todo doctor --repair"], isMendable: true))
  }

  private func exposed() -> [String] {
    ([profile.directory] + profile.files).filter { path in
      guard let facts = facts(of: path) else { return false }
      let isFolder = facts.mode & S_IFMT == S_IFDIR
      return facts.mode & 0o777 != (isFolder ? 0o700 : 0o600) || facts.owner != geteuid()
    }
  }

  /// Which versions meet here.
  func checkVersions() throws -> Check {
    let (schema, sqlite) = try read { (try $0.schemaVersions(), try $0.storeVersion()) }
    // The last one of each module says which others came before it.
    let last = schema.reversed().reduce(into: [String]()) { names, name in
      let module = name.prefix { $0 != "-" }
      if !names.contains(where: { $0.hasPrefix("\(module)-") }) { names.insert(name, at: 0) }
    }
    return Check("versions", "todo \(TodoCommand.version), SQLite \(sqlite), tables \(last.joined(separator: " "))")
  }
}

/// Where it may be either: `1 todo or list`, `2 todos or lists`.
func todosOrLists(_ number: Int) -> String { number == 1 ? "1 todo or list" : "\(number) todos or lists" }
