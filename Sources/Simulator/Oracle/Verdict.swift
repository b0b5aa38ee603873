import CloudAPI
import GRDB
import Sharing
import Signing
import TodoCore
import Treesystem

/// Judges a healed world.
struct Verdict {
  let world: World
  let seats: [Seat]
  /// Devices that their people have ended.
  let ended: [Seat]

  func judge() {
    for seat in seats {
      judgeAlone(seat)
      judgeIDs(seat)
    }
    judgeConvergence()
    if let member = world.hostileMember {
      judgeForeignValues(member)
      judgeTrees()
      judgeDeeds(member)
      judgePictures(member)
      judgeOwnIDs()
    }
    judgeLists()
    judgePromises()
    judgeMembers()
    judgeKeys()
    judgeServer()
    if !world.failures.isEmpty { tell() }
  }

  private func judgeAlone(_ seat: Seat) {
    if let member = world.hostileMember { return judgeBeside(member, seat) }
    if world.liar != nil { judgeDeceived(seat) } else { judge(seat) }
  }

  /// A todo has the id that its name is, wherever that name came from (spec §7.12): another device knows no other.
  private func judgeIDs(_ seat: Seat) {
    seen(seat) { transaction in
      let sql = "SELECT n.name, n.cloud_id, t.todo_id FROM todos t JOIN nodes n ON n.id = t.node ORDER BY n.id"
      for row in try Row.fetchAll(transaction.db, sql: sql) {
        guard let cloudID = row[1] as CloudID? else { continue }
        let id = TodoID(text: row[0]) ?? TodoID(cloudID)
        if id.text != row[2] as String { world.fail("\(seat.name) calls a todo \(row[2] as String) that is \(id)") }
      }
    }
  }

  /// One device alone: nothing waits, nothing was rejected, the database is whole.
  private func judge(_ seat: Seat) {
    seen(seat) { transaction in
      let troubles = Set(try transaction.troubles().map(\.branch))
      for operation in try transaction.operations()
      where try !isExpected(operation, transaction) && !troubles.contains(operation.branch) {
        world.fail(
          "\(seat.name): a change waits for ever: \(operation.kind) \(operation.state) \(operation.reason.map { "\($0)" } ?? "")"
        )
      }
      for record in try transaction.quarantined() {
        world.fail(
          "\(seat.name): an honest record is in quarantine: \(record.reason) at line \(record.line)\(try about(record, transaction))"
        )
      }
      for trouble in try transaction.troubles() where trouble.reason != .branchDenied {
        world.fail("\(seat.name): an honest branch is in trouble: \(trouble.reason)")
      }
      for finding in try transaction.findings() {
        world.fail("\(seat.name): an honest server is accused: \(finding.kind) at line \(finding.line)")
      }
      for problem in try String.fetchAll(transaction.db, sql: "PRAGMA quick_check") where problem != "ok" {
        world.fail("\(seat.name): the database is damaged: \(problem)")
      }
    }
  }

  /// The operation ?1 and all that have to come before it: what hangs below a node waits for that one's upload.
  static let needed = """
    WITH RECURSIVE needed (sequence) AS (VALUES (?1)
      UNION SELECT d.needs FROM dependencies d JOIN needed n ON d.operation = n.sequence
      UNION SELECT p.sequence FROM operations c JOIN operations p ON p.node = c.node AND p.kind = 'put'
        JOIN needed n ON n.sequence = c.sequence WHERE c.kind = 'copy'
      UNION SELECT p.sequence FROM departures d JOIN operations p ON p.node = d.node AND p.kind = 'put'
        JOIN needed n ON n.sequence = d.operation
      UNION SELECT p.sequence FROM operations c JOIN nodes b ON b.id = c.node JOIN operations p ON p.node = b.parent
        JOIN needed n ON n.sequence = c.sequence WHERE c.kind = 'put' AND p.kind = 'put')
    """

  /// What a member who was removed, or whose role was lowered, had not sent by then, and what waits for that.
  func isExpected(_ operation: QueuedOperation, _ transaction: CloudTransaction) throws -> Bool {
    if operation.state == .refused { return [.letterMissing, .branchClosed, .branchDenied].contains(operation.reason) }
    let needed = try Set(
      Int64.fetchAll(
        transaction.db, sql: "\(Self.needed) SELECT sequence FROM needed", arguments: [operation.sequence]))
    let operations = try transaction.operations()
    let denied = try Set(transaction.troubles().filter { $0.reason == .branchDenied }.map(\.branch))
    return try operations.contains { other in
      guard needed.contains(other.sequence) else { return false }
      if denied.contains(other.branch) { return true }
      if other.state == .refused { return [.letterMissing, .branchClosed, .branchDenied].contains(other.reason) }
      // Whoever leaves or ends a list decides first about what was refused there, or where it was taken to from there.
      return try (transaction.isLeave(other) || other.closes)
        && operations.contains {
          try $0.branch == other.branch && ($0.state == .refused || $0.kind == .delete && isExpected($0, transaction))
        }
    }
  }

  private func about(_ record: Quarantined, _ transaction: CloudTransaction) throws -> String {
    let root = try transaction.root(of: record.branch)
    let node = try transaction.node(record.cloudID, in: record.branch)
    return " of \(root?.trunk?.rawValue ?? "a list"): \(node.map { "\($0.id.rawValue) \($0.name)" } ?? "nothing here")"
  }

  func seen(_ seat: Seat, _ body: (CloudTransaction) throws -> Void) {
    do {
      guard let process = seat.process else { return }
      try process.database.read(body)
    } catch {
      world.fail("\(seat.name): \(error)")
    }
  }

  /// Two devices that have read the same lines show the same list.
  private func judgeConvergence() {
    var first: [String: (seat: Seat, list: ShownList)] = [:]
    for seat in seats {
      seen(seat) { transaction in
        for list in try transaction.allLists()
        where try isCurrent(list, transaction) && !keepsMore(of: list, seat, transaction) {
          let shown = try transaction.shown(list)
          guard let other = first[list.id] else {
            first[list.id] = (seat, shown)
            continue
          }
          if other.list != shown { world.fail(Difference(other.seat.name, other.list, seat.name, shown).words) }
        }
      }
    }
  }

  /// The devices of one person have the same lists, under the same titles, put away or not.
  private func judgeLists() {
    var first: [String: (seat: Seat, lists: [String])] = [:]
    for seat in seats {
      seen(seat) { transaction in
        guard try transaction.troubles().isEmpty, try transaction.operations().isEmpty else { return }
        let lists = try transaction.allLists().filter { try !isPurged($0, transaction) }.map { list in
          // What a list is called here stands in its pointer, the same on all of these devices. Of its document one may have more than a member
          // left of it before it ended, and can give that to nobody any more.
          let mayDiffer = try world.hostileMember != nil && transaction.isClosed(list.branch)
          let shared = mayDiffer ? "" : "\(list.title) \(list.isArchived)"
          return
            "\(list.id)\(list.removedAt == nil ? "" : " in the trash") \(shared)\(world.hostileMember == nil ? "" : " \(list.name)")"
        }.sorted()
        let person = seat.device.person.handle
        if let other = first[person], other.lists != lists {
          world.fail("\(other.seat.name) and \(seat.name) have different lists: \(other.lists) and \(lists)")
        }
        first[person] = first[person] ?? (seat, lists)
      }
    }
  }

  /// Whether a list ended so long ago that a server has nothing left of it: a device that comes later shows none.
  private func isPurged(_ list: TodoList, _ transaction: CloudTransaction) throws -> Bool {
    guard let body = try transaction.permissions(of: list.branch)?.body, body.isClosed else { return false }
    return transaction.clock.now() - body.created > Limits.closedLife
  }

  /// Whether a device may have more than a hostile member left of a list before it ended, and can give that to nobody any more. Those that read
  /// it anew have what is there.
  func keepsMore(of list: TodoList, _ seat: Seat, _ transaction: CloudTransaction) throws -> Bool {
    try world.hostileMember != nil && transaction.isClosed(list.branch) && !Newcomers.isOne(seat)
  }

  /// Lists that this device reads to their end, and has nothing of its own on that others cannot have.
  func isCurrent(_ list: TodoList, _ transaction: CloudTransaction) throws -> Bool {
    let inTrouble = try transaction.troubles().contains { $0.branch == list.branch }
    return try !inTrouble && transaction.pendingOperationCount(of: list.branch) == 0
  }

  /// An acknowledged change is never lost.
  private func judgePromises() {
    var contents: [String: Copies] = [:]
    for seat in seats + ended where contents[seat.device.name] == nil {
      seen(seat) { contents[seat.device.name] = try copies($0) }
    }
    let people = Dictionary(uniqueKeysWithValues: world.devices.map { ($0.name, $0.person.handle) })
    let lists = listsOnTrees()
    let legacies = legacies()
    for promise in world.oracle.standing where !world.oracle.isPurged(promise) && isOutOfReach(promise) {
      judge(promise, people[promise.device] ?? "", contents, lists)
      guard let legacy = legacies[promise.device], legacy.todos.contains(promise.todo) else { continue }
      // Whoever was taken off the list meanwhile has no other device that could read it.
      if !mayRead(people[promise.device] ?? "", world.oracle.lists(of: promise)) { continue }
      judge(promise.kept(by: legacy.heir), people[promise.device] ?? "", contents, lists)
    }
  }

  private func judge(_ promise: Oracle.Promise, _ person: String, _ contents: [String: Copies], _ lists: Set<String>) {
    let places = world.oracle.lists(of: promise)
    let ids = world.oracle.ids(of: promise.todo)
    let isMoved = places.count > 1
    if places.contains(where: { world.oracle.hasRemoved($0, person, seeing: promise.todo) }) { return }
    // Who left a list finds what they wrote there with those who stayed. If nobody did, the server has it for all of them.
    let isLeft = places.contains { world.oracle.hasRemoved($0, person) }
    if places.contains(where: { world.oracle.hasRemoved($0, person) && !lists.contains($0) && isShared($0, person) }) {
      return
    }
    // Where it was taken to, somebody may have removed the list with it.
    if isMoved,
      places.contains(where: {
        world.oracle.isRemoved($0, seeing: promise.todo) && (readers(of: $0) == nil || !lists.contains($0))
      })
    {
      return
    }
    // One of these may have removed it for good, having seen it.
    if isLeft || isMoved, lists.isDisjoint(with: places), !places.contains(where: isStranded),
      places.contains(where: { world.oracle.isRemoved($0, seeing: promise.todo) })
    {
      return
    }
    // A todo that was taken to a list of somebody's own is where they see it.
    if isMoved, contents.values.contains(where: { held($0, ids)?.contains { $0.holds(promise.register) } ?? false }) {
      return
    }
    let others = isLeft || isMoved ? contents.values.compactMap { held($0, ids) } : []
    let elsewhere = others.first { $0.contains { $0.holds(promise.register) } } ?? others.first
    guard let found = contents[promise.device].flatMap({ held($0, ids) }) ?? elsewhere else {
      world.fail("lost on \(promise.device): todo \(promise.todo), \(promise.register.words)")
      return
    }
    // Whoever may not read where it was taken to, and changed it meanwhile, keeps it where it was (spec §5.7).
    // What a hostile member gave the name of another todo may have been moved to where that one is.
    let isNamesake = world.hostileMember.map { !ids.isDisjoint(with: $0.givenNames) } ?? false
    if !isNamesake, found.count > places.count {
      world.fail("\(promise.device) has todo \(promise.todo) \(found.count) times")
    }
    if let before = promise.before, before.value != promise.register.value,
      found.allSatisfy({ $0.document[before.field] == before })
    {
      world.fail("a later write lost on \(promise.device): in todo \(promise.todo), \(promise.register.words)")
    }
    if !found.contains(where: { $0.holds(promise.register) }) {
      world.fail("lost on \(promise.device): in todo \(promise.todo), \(promise.register.words)")
    }
  }

  /// What there is of a todo, whatever it is called; nil: nothing.
  private func held(_ copies: Copies, _ ids: Set<String>) -> [VersionedDocument]? {
    let held = ids.sorted().flatMap { copies[$0] ?? [] }
    return held.isEmpty ? nil : held
  }

  /// The documents on a device, by the id of their todo.
  private typealias Copies = [String: [VersionedDocument]]

  /// Whether a list lives on the server, and others than this person can read it there; or nobody else can.
  private func isShared(_ list: String, _ person: String) -> Bool {
    guard let user = try? world.server.user(handle: person) else { return false }
    return readers(of: list)?.contains { $0 != user } ?? false
  }
  private func mayRead(_ person: String, _ lists: Set<String>) -> Bool {
    guard let user = try? world.server.user(handle: person) else { return true }
    return lists.contains { readers(of: $0)?.contains(user) ?? true }
  }
  private func isStranded(_ list: String) -> Bool { readers(of: list)?.count == 1 }

  private func readers(of list: String) -> [UserID?]? {
    guard let bytes = Base32.decode(list), let branch = CloudID(bytes: bytes) else { return nil }
    return try? world.server.readers(of: branch)
  }

  private func listsOnTrees() -> Set<String> {
    var lists: Set<String> = []
    for seat in seats {
      seen(seat) { transaction in
        // Of what somebody may not read any more, they have no more than what they had.
        let closed = Set(try transaction.troubles().map(\.branch))
        lists.formUnion(try transaction.allLists().filter { !closed.contains($0.branch) }.map(\.id))
      }
    }
    return lists
  }

  private func copies(_ transaction: CloudTransaction) throws -> Copies {
    var found: Copies = [:]
    let sql =
      "SELECT t.node, todo_id, b.cloud_id FROM todos t JOIN nodes n ON n.id = t.node JOIN branches b ON b.id = n.branch"
    for row in try Row.fetchAll(transaction.db, sql: sql) {
      // Whoever may write elsewhere calls things there as they like.
      if let branch = row[2] as CloudID?, world.hostileMember?.mayHaveWritten(branch) == true { continue }
      guard let content = try transaction.content(of: NodeID(rawValue: row[0])) else { continue }
      found[row[1], default: []].append(content)
    }
    return found
  }

  private func judgeServer() {
    for (name, bytes) in world.server.machine.backup() {
      world.oracle.checkSecrecy(bytes, "the server's file \(name)", in: world)
    }
  }
}

extension CloudTransaction {
  /// Those in the trash as well.
  func allLists() throws -> [TodoList] { try lists() + listsInTrash() }
}

extension VersionedDocument {
  /// Whether a value is current, or was overwritten or removed. What waits may be of a new replica since it was promised, or of another time,
  /// if it was ahead of what others believe.
  func knows(_ register: Register) -> Bool {
    (document.context[register.stamp.replica] ?? 0) >= register.stamp.time
      || (document.registers + document.elements + history.overwritten).contains {
        $0.field == register.field && $0.value == register.value
          && ($0.stamp.time == register.stamp.time
            || $0.stamp.replica == register.stamp.replica && $0.stamp.time < register.stamp.time)
      }
  }

  /// Whether a value is current, or remembered, or so far back that nothing is remembered of it.
  func holds(_ register: Register) -> Bool {
    document[register.field]?.value == register.value || isPlace(register)
      || document.elements.contains { $0.field == register.field && $0.value == register.value }
      || history.overwritten.contains { $0.field == register.field && $0.value == register.value }
      || history.overwritten.count >= TodoCore.History.limit
  }
}

extension VersionedDocument {
  /// Where something stood is not remembered.
  fileprivate func isPlace(_ register: Register) -> Bool {
    register.field == Field.order.rawValue || register.field == Field.taken.rawValue
  }
}
