import CloudAPI
import TodoCore
import Treesystem

/// A list that was shared with this user, and is no more: what they had read stays, and so does what they had not sent.
struct UnsharedList {
  let name: String
  /// How many changes of this user nobody gets.
  let unsent: Int

  /// `Groceries is no longer shared with you, 2 changes of yours are kept here (todo status)`
  var notice: String {
    let kept = unsent == 0 ? "" : ", \(counted(unsent, "change")) of yours \(unsent == 1 ? "is" : "are") kept here"
    return "\(name) is no longer shared with you\(kept) (todo status)"
  }

  var json: JSON { ["list": .string(name), "unsent": .int(Int64(unsent))] }
}

extension CloudTransaction {
  /// The branches that this user may not read any more.
  func unsharedBranches() throws -> Set<BranchID> {
    Set(try troubles().filter { $0.reason == .letterMissing }.map(\.branch))
  }

  /// The lists that are not shared with this user any more.
  func unsharedLists() throws -> [UnsharedList] {
    let unshared = try unsharedBranches()
    if unshared.isEmpty { return [] }
    return try lists().filter { unshared.contains($0.branch) }.map { list in
      UnsharedList(name: list.name, unsent: try pendingOperationCount(of: list.branch))
    }
  }

  /// A line for each list that somebody else has deleted for everybody.
  func deletedListNotices() throws -> [String] {
    let me = try account()?.user
    return try lists().filter { try $0.owner != me && isClosed($0.branch) }.map { list in
      let name = harmless(list.name)
      return
        "\(name) was deleted by \(try owner(of: list.branch)), what you had stays here (todo lists keep \(shellQuoted(name)))"
    }
  }

  /// How many changes were refused that may yet be taken: those on lists that are no longer shared may not.
  func refusedCount() throws -> Int {
    let unshared = try unsharedBranches()
    return try operations().count { $0.state == .refused && !unshared.contains($0.branch) }
  }
}
