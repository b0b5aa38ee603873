import CloudAPI
import Foundation
import GRDB
import Sharing
import Signing
public import Treesystem

/// A list as it hangs in this person's home, whether or not anything of it was read.
struct HangingList {
  let pointer: NodeID
  let branch: BranchID
  let cloudID: CloudID
  /// The root; nil while nothing of it was read.
  let root: NodeID?
  /// The title that its members gave it; empty while nothing of it was read.
  let title: String
  let owner: UserID?
  fileprivate(set) var isShared: Bool
  /// What the columns of its document say; nil where it has none that can be read.
  fileprivate let facts: Facts?
  fileprivate let trashedAt: Int64?
  /// What this person calls it, and whether the pointer says so.
  var name = ""
  var isNamed = false
  /// Whether that name is more than a stand-in: this person, an invitation or the list's document, which was read, says it.
  var isNameKnown = false

  fileprivate struct Facts {
    let createdAt: Int64
    let isArchived: Bool
    let place: OrderKey?
  }

  /// Since when it is in the trash, where only what nobody else reads can be: nobody may lose sight of what others do.
  var removedAt: Int64? { isShared ? nil : trashedAt }

  /// Whether it was to go into the trash, and others read it by then.
  var isInUse: Bool { isShared && trashedAt != nil }

  /// The list; nil while nothing of it was read.
  var list: TodoList? {
    guard let root else { return nil }
    return TodoList(
      node: root, branch: branch, id: TodoID(cloudID).text, title: title, name: name,
      createdAt: facts?.createdAt ?? 0, owner: owner, isShared: isShared, isArchived: facts?.isArchived ?? false,
      place: facts?.place, removedAt: removedAt)
  }
}

extension CloudTransaction {
  /// This person's lists: those that were moved in their order, then the others by name.
  public func lists() throws -> [TodoList] {
    try hangingLists().compactMap(\.list).sorted { order($0) < order($1) }
  }

  /// Those in the trash, the latest first.
  public func listsInTrash() throws -> [TodoList] {
    try hangingLists(inTrash: true).compactMap(\.list).sorted {
      ($0.removedAt ?? 0, $0.id) > ($1.removedAt ?? 0, $1.id)
    }
  }

  /// Everything that hangs in home and is not in the trash, or is, with its name: a list exists because a pointer to it does, whatever stands in it (spec §7.14).
  /// Private ones come before shared ones, then by id: nothing that another user can write decides it.
  func hangingLists(inTrash: Bool = false) throws -> [HangingList] {
    let statement = try db.cachedStatement(
      sql: """
        SELECT p.id, p.pointer, b.cloud_id, r.id, l.title, l.created_at, l.archived, l.place, p.alias,
          iif(l.shown_for = l.title, l.shown_name, NULL),
          EXISTS (SELECT 1 FROM permissions s WHERE s.branch = b.id), l.node IS NOT NULL, p.trashed_at
        FROM nodes p JOIN branches h ON h.id = p.branch JOIN branches b ON b.id = p.pointer
          LEFT JOIN nodes r ON r.branch = b.id AND r.parent IS NULL LEFT JOIN lists l ON l.node = r.id
        WHERE p.pointer IS NOT NULL AND h.trunk = 'home' AND p.id = (SELECT min(q.id) FROM nodes q
          WHERE q.pointer = p.pointer AND q.branch = h.id)
          AND NOT (\(Defect.deletedListHidden.isPlanted) AND ifnull(l.deleted, FALSE))
        """)
    let me = try account()?.user
    // One query for all of them: nearly every command asks, and somebody may have hundreds.
    var found: [(list: HangingList, source: ListNames.Source)] = []
    var invites: [CloudID: Invite]?
    for row in try Row.fetchAll(statement) {
      var list = try hangingList(row, me)
      let given: String? = Defect.namesForgotten.isPlanted ? nil : row[8]
      var base = given ?? (row[9] as String?) ?? ""
      var other = list.owner == me ? nil : list.owner
      if base.isEmpty {
        // What this person has accepted is what the invitation called it, and its sender's until more is known.
        let known = try invites ?? Dictionary(acceptedInvites().map { ($0.branch, $0) }) { _, last in last }
        base = known[list.cloudID]?.title ?? list.title
        if list.owner == nil, let sender = known[list.cloudID]?.sender { (other, list.isShared) = (sender, true) }
        invites = known
      }
      guard (list.removedAt != nil) == inTrash else { continue }
      list.isNameKnown = !base.isEmpty || list.facts != nil
      let owner = try other.map { try displayName(of: $0) }
      let title = given == nil ? ListName.suiting(base) : base
      found.append((list, ListNames.Source(given: given, title: title, owner: owner)))
    }
    found.sort { order($0.list) < order($1.list) }
    return zip(found, ListNames.unique(found.map(\.source))).map { found, name in
      var list = found.list
      (list.name, list.isNamed) = (name, found.source.given == name)
      return list
    }
  }

  private func hangingList(_ row: Row, _ me: UserID?) throws -> HangingList {
    let branch: BranchID = row[1]
    let body = row[10] ? try permissions(of: branch)?.body : nil
    let facts =
      row[11]
      ? HangingList.Facts(
        createdAt: row[5], isArchived: row[6], place: (row[7] as String?).map(OrderKey.init(column:))) : nil
    return HangingList(
      pointer: row[0], branch: branch, cloudID: row[2], root: row[3], title: row[4] ?? "", owner: body?.owner,
      isShared: body.map { $0.owner != me || $0.entries.count > 1 } ?? false, facts: facts,
      trashedAt: row[12])
  }

  private func order(_ list: HangingList) -> (Int, CloudID) { (list.isShared ? 1 : 0, list.cloudID) }

  /// Beyond every order key stands what has none.
  private func order(_ list: TodoList) -> (String, String, String) {
    (list.place?.text ?? "~", folded(list.name), list.id)
  }

  /// Whether this person may change what is on a list. Without an account everything here is theirs.
  public func mayWrite(_ list: NodeID) throws -> Bool {
    try node(list).map { try mayWrite($0.branch) } ?? true
  }

  /// The list with this root.
  public func list(_ node: NodeID) throws -> TodoList? { try lists().first { $0.node == node } }

  /// How many branches hang in home of which something was read, and no list is shown. There are none unless something is broken.
  public func unshownLists() throws -> Int {
    try (hangingLists() + hangingLists(inTrash: true)).filter {
      try $0.root == nil && cursor(of: $0.branch).map { $0.line > 0 } ?? false
    }.count
  }
}
