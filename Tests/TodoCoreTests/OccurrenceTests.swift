import CloudAPI
import Dates
import GRDB
import Sharing
import TestSupport
import Testing
import Treesystem

@testable import TodoCore

/// Todos that come back.
struct OccurrenceTests {
  private let world: World
  private let phone: Device
  private let laptop: Device
  private let bins: Todo

  init() async throws {
    world = try World(seed: "occurrences")
    phone = try await world.person("alice")
    bins = try phone.database.write { transaction in
      guard case .list(let list) = try transaction.addList(ListName("Home")) else { throw TreeError.nameTaken }
      var new = NewTodo(try Title("bins"), tags: [try Tag("house")], note: try Note("the green one"))
      new.repetition = try Repetition(phrase: "every 3 days")
      new.due = .day(Zone.utc.day(at: transaction.clock.now()))
      new.priority = .high
      return try transaction.addTodos([new], to: list.node)[0]
    }
    laptop = try world.device("laptop")
    _ = try await phone.session.sync()
    let root = try #require(try phone.database.read { try $0.root() })
    try await laptop.session.logIn(root: root, handle: "alice", server: "test")
    _ = try await laptop.session.sync()
  }

  /// The id of the todo that follows one, or of the one so many after it.
  private func following(_ id: TodoID, _ count: Int = 1, in transaction: CloudTransaction) throws -> TodoID {
    let key = try #require(try transaction.derivationKey(of: transaction.lists()[0].branch))
    return (0..<count).reduce(id) { id, _ in id.next(by: key) }
  }

  private func tick(_ device: Device) throws -> Todo? {
    try device.database.write { transaction in
      guard case .one(let todo) = try transaction.findTodo(bins.id.text) else { throw TreeError.noSuchNode }
      return try transaction.addOccurrence(after: transaction.setDone(true, todo), zone: .utc)
    }
  }

  private func open(_ device: Device) throws -> [Todo] {
    try device.database.read { transaction in
      try transaction.lists().flatMap { try transaction.todos(in: $0.node, .open) }
    }
  }

  @Test func theNextOneHasEverythingOfTheFirst() throws {
    let today = Zone.utc.day(at: world.clock.now())
    let next = try #require(try tick(phone))
    #expect(next.title == "bins" && next.tags == ["house"] && next.priority == .high)
    #expect(next.due == today.adding(days: 3).map { .day($0) } && next.repetition == bins.repetition)
    #expect(try phone.database.read { try $0.notes(of: next) } == ["the green one"])
    #expect(next.shortID.first?.isLetter == true && next.shortID.contains(where: \.isNumber))
  }

  /// Its parts are open again, with their own, and what was to be hidden until a day is so again.
  @Test func partsAndStartComeBack() async throws {
    try phone.database.write { transaction in
      let today = Zone.utc.day(at: transaction.clock.now())
      _ = try transaction.setStart(.day(today), of: bins)
      var part = NewTodo(try Title("paper"), tags: [try Tag("blue")])
      (part.parent, part.due) = (bins.node, .day(today))
      let paper = try transaction.addTodos([part], to: bins.list)[0]
      var below = NewTodo(try Title("string"))
      below.parent = paper.node
      var weekly = NewTodo(try Title("rinse"))
      (weekly.parent, weekly.repetition) = (bins.node, try Repetition(phrase: "every week"))
      var removed = NewTodo(try Title("no more"))
      removed.parent = bins.node
      let added = try transaction.addTodos([below, weekly, removed], to: bins.list)
      _ = try transaction.removeTodo(added[2])
      _ = try transaction.setDone(true, paper)
    }
    for device in [phone, laptop] { _ = try await device.session.sync() }
    // Both tick it, apart.
    let today = Zone.utc.day(at: world.clock.now())
    for device in [phone, laptop] {
      let next = try #require(try tick(device))
      #expect(next.start == today.adding(days: 3).map { .day($0) })
      let parts = try device.database.read { try $0.allParts(of: next) }
      #expect(parts.map(\.title) == ["paper", "string"] && parts.allSatisfy { $0.state == .open })
      #expect(parts[0].tags == ["blue"] && parts[0].due == next.due)
    }
    for device in [phone, laptop, phone, laptop] { _ = try await device.session.sync() }
    for device in [phone, laptop] {
      #expect(try open(device).map(\.title).sorted() == ["bins", "paper", "rinse", "string", "string"])
    }
  }

  /// What went with an undone tick is nothing that anybody removed.
  @Test func anUndoneTickLeavesNothingInTheTrash() throws {
    let (whole, part) = try phone.database.write { transaction in
      var part = NewTodo(try Title("paper"))
      part.parent = bins.node
      return (bins, try transaction.addTodos([part], to: bins.list)[0])
    }
    let next = try phone.database.write { transaction in
      try transaction.asAction {
        try #require(try transaction.addOccurrence(after: transaction.setDone(true, whole), zone: .utc))
      }
    }
    try phone.database.write { transaction in
      _ = try transaction.undo()
      let list = try transaction.lists()[0]
      #expect(try transaction.trash(of: list).isEmpty)
      #expect(try transaction.todos(in: list.node, .trash).count == 2)
      // One that somebody removed is shown.
      _ = try transaction.removeTodo(part)
      #expect(try transaction.trash(of: list).map(\.title) == ["paper"])
      _ = try transaction.restoreTodo(part)
    }
    #expect(try tick(phone)?.id == next.id)
    #expect(try phone.database.read { try $0.allParts(of: next).map(\.title) } == ["paper"])
  }

  /// The ids are others when the account goes, and which todo follows which is still known.
  @Test func theNextOneIsKnownWithoutTheAccountToo() throws {
    let next = try #require(try tick(phone))
    try phone.database.write { transaction in
      try transaction.keepLists()
      let list = try #require(try transaction.lists().first)
      let (done, open) = (try transaction.todos(in: list.node, .done), try transaction.todos(in: list.node, .open))
      #expect(done.count == 1 && open.count == 1)
      #expect(
        try done[0].id != bins.id && open[0].id != next.id && following(done[0].id, in: transaction) == open[0].id)
      #expect(try transaction.addOccurrence(after: done[0], zone: .utc) == nil)
    }
  }

  @Test func twoDevicesNeverMakeTwoOfTheSameOccurrence() async throws {
    let first = try #require(try tick(phone))
    // Days later, and so due on another day.
    world.clock.advance(5 * 86_400_000)
    let second = try #require(try tick(laptop))
    #expect(first.id == second.id && first.due != second.due)
    for device in [phone, laptop, phone, laptop] { _ = try await device.session.sync() }
    let (here, there) = (try open(phone), try open(laptop))
    #expect(here.count == 1 && here.map(\.id) == there.map(\.id) && here[0].due == there[0].due)
    #expect(here[0].due == second.due && here[0].tags == ["house"])
    #expect(try phone.database.read { try $0.notes(of: here[0]) } == ["the green one"])
  }

  @Test func whoTicksTwiceMakesOne() throws {
    let first = try #require(try tick(phone))
    #expect(try tick(phone) == nil)
    try phone.database.write { transaction in
      let todo = try #require(try transaction.todo(bins.node))
      _ = try transaction.setDone(false, todo)
      _ = try transaction.removeTodo(first)
    }
    let again = try #require(try tick(phone))
    #expect(again.id == first.id && again.state == .open)
    #expect(try open(phone).count == 1)
  }

  @Test func oneThatWasDeletedForGoodCanComeBack() async throws {
    let first = try #require(try tick(phone))
    for device in [phone, laptop] { _ = try await device.session.sync() }
    try phone.database.write { transaction in
      _ = try transaction.removeTodo(first)
      try transaction.delete(first.node)
      _ = try transaction.setDone(false, try #require(try transaction.todo(bins.node)))
    }
    for device in [phone, laptop, phone] { _ = try await device.session.sync() }
    #expect(try open(phone).map(\.id) == [bins.id])
    let again = try #require(try tick(laptop))
    #expect(again.id == first.id)
    for device in [laptop, phone, laptop] { _ = try await device.session.sync() }
    for device in [phone, laptop] { #expect(try open(device).map(\.id) == [first.id]) }
  }

  /// What somebody with a changed client puts where the next one is to be.
  enum Squatter: CaseIterable { case otherTitle, otherRule, comment, elsewhere, file, quarantined }

  private func squat(_ squatter: Squatter, at id: TodoID, in transaction: CloudTransaction) throws {
    let list = try transaction.lists()[0].node
    let cloudID = try #require(id.cloudID)
    var new = NewTodo(try Title("bins"))
    new.repetition = bins.repetition
    switch squatter {
    case .otherTitle:
      new.title = try Title("pay mallory")
      _ = try transaction.addTodo(new, id: id, at: 0, below: list, of: list, isDerived: true)
    case .otherRule:
      new.repetition = nil
      _ = try transaction.addTodo(new, id: id, at: 0, below: list, of: list, isDerived: true)
    case .comment:
      // It is a todo whatever kind it says (spec §7.11): only another title makes it another one.
      new.title = try Title("pay mallory")
      let todo = try transaction.addTodo(new, id: id, at: 0, below: list, of: list, isDerived: true)
      _ = try transaction.change(todo) { try $0.write(.kind, Array("comment".utf8), now: $1, replica: $2) }
    // The cloudID alone, or the name alone, is taken.
    case .elsewhere: _ = try transaction.createNode(named: "x", in: bins.node, cloudID: cloudID)
    case .file: _ = try transaction.createNode(named: id.text, in: list)
    case .quarantined:
      try transaction.db.execute(
        sql: """
          INSERT INTO node_states (branch, cloud_id, version, hash, deleted, line)
          SELECT branch, ?, version, hash, 0, line FROM node_states
          WHERE branch = (SELECT branch FROM nodes WHERE id = ?) LIMIT 1
          """, arguments: [cloudID, bins.node])
    }
  }

  @Test(arguments: Squatter.allCases) func aTickAndItsNextOneDoNotDependOnWhatOthersPutThere(
    squatter: Squatter
  ) throws {
    try phone.database.write { transaction in
      try squat(squatter, at: following(bins.id, in: transaction), in: transaction)
      if squatter == .otherTitle { try squat(.otherRule, at: following(bins.id, 2, in: transaction), in: transaction) }
    }
    let next = try #require(try tick(phone))
    #expect(next.title == "bins" && next.repetition == bins.repetition && next.due != nil)
    #expect(try phone.database.write { try next.id == following(bins.id, squatter == .otherTitle ? 3 : 2, in: $0) })
    #expect(try phone.database.read { try $0.todo(bins.node) }?.state == .done)
    // It is known again.
    #expect(try tick(phone) == nil)
  }

  /// The next one that somebody has ticked already, or has put off for ever, is not the one that comes up next.
  @Test(arguments: [true, false]) func anOccurrenceThatNeverComesUpIsNotTheNextOne(_ isDone: Bool) throws {
    let today = Zone.utc.day(at: world.clock.now())
    try phone.database.write { transaction in
      let list = try transaction.lists()[0].node
      var new = NewTodo(try Title("bins"))
      new.repetition = bins.repetition
      new.due = .day(isDone ? today : try #require(Day(iso: "9999-12-31")))
      let made = try transaction.addTodo(
        new, id: following(bins.id, in: transaction), at: 0, below: list, of: list, isDerived: true)
      if isDone { _ = try transaction.setDone(true, made) }
    }
    let next = try #require(try tick(phone))
    #expect(try phone.database.write { try next.id == following(bins.id, 2, in: $0) } && next.state == .open)
    #expect(next.due.map { Zone.utc.day(of: $0) > today } == true)
    #expect(try tick(phone) == nil)
  }

  /// What a document says of its kind makes no second one of the next one.
  @Test func theNextOneIsKnownWhateverKindItSays() throws {
    let next = try #require(try tick(phone))
    try phone.database.write { transaction in
      _ = try transaction.change(next) { try $0.write(.kind, Array("comment".utf8), now: $1, replica: $2) }
    }
    #expect(try tick(phone) == nil)
    #expect(try open(phone).map(\.id) == [next.id])
  }

  @Test func aTickStandsWhateverTheTitleIs() throws {
    try phone.database.write { transaction in
      let todo = try #require(try transaction.todo(bins.node))
      _ = try transaction.change(todo) { try $0.write(.title, Array("bi\u{1B}ns\n".utf8), now: $1, replica: $2) }
    }
    #expect(try tick(phone)?.title == "bins")
    #expect(try tick(phone) == nil)
  }

  /// Nine o'clock in Tokyo is meant, whoever ticks it and wherever they are.
  @Test func whatComesBackGoesByTheClockItWasMeantBy() throws {
    let tokyo = Zone(name: "Asia/Tokyo") { _ in 9 * 3600 }
    let here = Zone(name: "America/New_York") { _ in -5 * 3600 }
    let monday = WallTime(day: try #require(Day(iso: "2027-01-04")), minute: 9 * 60)
    let meant = When.moment(tokyo.moment(of: monday))
    world.clock.advance(tokyo.moment(of: monday) - world.clock.now())
    let next = try phone.database.write { transaction in
      var new = NewTodo(try Title("weekly call"))
      new.due = meant
      new.clock = ZonedTime(meant, in: tokyo)
      new.repetition = Repetition(every: 1, .week, weekdays: [1])
      let call = try transaction.addTodos([new], to: bins.list)[0]
      return try transaction.addOccurrence(after: transaction.setDone(true, call), zone: here) {
        $0 == "Asia/Tokyo" ? tokyo : nil
      }
    }
    let due = try #require(next?.due)
    let eleventh = WallTime(day: try #require(Day(iso: "2027-01-11")), minute: 9 * 60)
    #expect(tokyo.wallTime(at: tokyo.start(of: due)) == eleventh)
  }

  /// The day on which clocks are put forward has no 02:30; the days after it have.
  @Test func aTimeThatWasSkippedComesBack() throws {
    // Berlin: summer time begins on 28 March.
    let zone = Zone(name: "Europe/Berlin") { $0 < 1_806_195_600 ? 3600 : 7200 }
    let first = WallTime(day: try #require(Day(iso: "2027-03-26")), minute: 150)
    world.clock.advance(zone.moment(of: first) - world.clock.now())
    var clocks: [String] = []
    try phone.database.write { transaction in
      var new = NewTodo(try Title("night shift"))
      new.due = .moment(zone.moment(of: first))
      new.clock = ZonedTime(new.due, in: zone)
      new.repetition = Repetition(every: 1, .day)
      var todo = try transaction.addTodos([new], to: bins.list)[0]
      for _ in 1...4 {
        let next = try transaction.addOccurrence(after: transaction.setDone(true, todo), zone: zone)
        todo = try #require(next)
        clocks.append(zone.wallTime(at: zone.start(of: try #require(todo.due))).clock)
      }
    }
    #expect(clocks == ["02:30", "03:30", "02:30", "02:30"])
  }

  @Test func aTimeOfDayStaysWhereClocksChange() throws {
    // Berlin: summer time ends between the two.
    let zone = Zone { $0 < 1_793_494_800 ? 7200 : 3600 }
    let before = WallTime(day: try #require(Day(iso: "2026-10-30")), minute: 18 * 60)
    world.clock.advance(zone.moment(of: before) - world.clock.now())
    let next = try phone.database.write { transaction in
      let todo = try transaction.setDue(
        .moment(zone.moment(of: before)), of: try #require(try transaction.todo(bins.node)))
      return try transaction.addOccurrence(after: transaction.setDone(true, todo), zone: zone)
    }
    let due = try #require(next?.due)
    #expect(
      zone.wallTime(at: zone.start(of: due)) == WallTime(day: try #require(Day(iso: "2026-11-02")), minute: 18 * 60))
  }
}
