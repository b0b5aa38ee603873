import CloudAPI
import CloudServer
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// Two changes of who shares a list, made at the same time by people who do not know of each other's: whoever syncs first, all
/// devices end with one state (docs/membership.md).
@Suite struct MembershipPairTests {
  /// What somebody does.
  enum Change: Sendable {
    case share(String, with: String, Role)
    case remove(String, from: String)
    case leave(String)
    case giveAway(to: String)
    /// Somebody types a code for viewers that alice made.
    case claim(String)
    /// Alice deletes the list for everybody.
    case close

    /// Whose device does it.
    var by: String {
      switch self {
      case .share(let by, _, _), .remove(let by, _), .leave(let by), .claim(let by): by
      case .giveAway, .close: "alice"
      }
    }
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let first: Change
    let second: Change
    /// The members in the end, where the first syncs first, and where the second does.
    let ends: [String]
    /// Whose change is refused, and is told so, where the first syncs first, and where the second does.
    let refused: [String?]

    init(_ name: String, _ first: Change, _ second: Change, _ ends: String..., refused: [String?] = [nil, nil]) {
      testDescription = name
      self.first = first
      self.second = second
      self.ends = ends
      self.refused = refused
    }

    /// Who is in the last record and has no list: whoever has not accepted, and of one that was deleted its owner and whoever leaves.
    var without: Set<String> {
      var names: Set = ["erin"]
      for case .leave(let name) in [first, second] { names.insert(name) }
      for case .close in [first, second] { names.insert("alice") }
      return names
    }
  }

  /// Alice owns it, bob and carol are admins, dora is an editor, erin is not on it.
  static let pairs = [
    Pair(
      "add and add", .share("bob", with: "erin", .editor), .share("carol", with: "erin", .viewer),
      "alice owner, bob admin, carol admin, dora editor, erin viewer",
      "alice owner, bob admin, carol admin, dora editor, erin editor"),
    Pair(
      "add and remove", .share("bob", with: "erin", .editor), .remove("carol", from: "dora"),
      "alice owner, bob admin, carol admin, erin editor"),
    Pair(
      "add, and the one who adds is removed", .share("bob", with: "erin", .editor), .remove("carol", from: "bob"),
      "alice owner, carol admin, dora editor, erin editor", "alice owner, carol admin, dora editor",
      refused: [nil, "bob"]),
    Pair(
      "remove and remove the same", .remove("bob", from: "dora"), .remove("carol", from: "dora"),
      "alice owner, bob admin, carol admin"),
    Pair(
      "remove and remove another", .remove("bob", from: "dora"), .remove("alice", from: "carol"),
      "alice owner, bob admin"),
    Pair(
      "role and remove", .share("bob", with: "dora", .viewer), .remove("carol", from: "dora"),
      "alice owner, bob admin, carol admin"),
    Pair(
      "role and role", .share("bob", with: "dora", .viewer), .share("carol", with: "dora", .admin),
      "alice owner, bob admin, carol admin, dora admin", "alice owner, bob admin, carol admin, dora viewer"),
    Pair(
      "two admins remove each other", .remove("bob", from: "carol"), .remove("carol", from: "bob"),
      "alice owner, bob admin, dora editor", "alice owner, carol admin, dora editor",
      refused: ["carol", "bob"]),
    Pair(
      "transfer and remove the successor", .giveAway(to: "bob"), .remove("carol", from: "bob"),
      "bob owner, alice admin, carol admin, dora editor", "alice owner, carol admin, dora editor",
      refused: ["carol", nil]),
    Pair(
      "transfer and remove another", .giveAway(to: "bob"), .remove("carol", from: "dora"),
      "bob owner, alice admin, carol admin"),
    Pair(
      "transfer and role of the successor", .giveAway(to: "bob"), .share("carol", with: "bob", .viewer),
      "bob owner, alice admin, carol admin, dora editor", refused: ["carol", nil]),
    Pair(
      "leave and remove the same", .leave("dora"), .remove("bob", from: "dora"),
      "alice owner, bob admin, carol admin"),
    Pair(
      "leave and role", .leave("dora"), .share("bob", with: "dora", .admin),
      "alice owner, bob admin, carol admin"),
    Pair(
      "leave and add", .leave("dora"), .share("bob", with: "erin", .viewer),
      "alice owner, bob admin, carol admin, erin viewer"),
    Pair(
      "leave and leave", .leave("dora"), .leave("carol"),
      "alice owner, bob admin"),
    Pair(
      "remove and come by a code", .remove("alice", from: "dora"), .claim("dora"),
      "alice owner, bob admin, carol admin, dora viewer", "alice owner, bob admin, carol admin"),
    Pair(
      "delete and add", .close, .share("bob", with: "erin", .viewer),
      "deleted: alice owner, bob admin, carol admin, dora editor",
      "deleted: alice owner, bob admin, carol admin, dora editor, erin viewer", refused: ["bob", nil]),
    Pair(
      "delete and remove", .close, .remove("bob", from: "dora"),
      "deleted: alice owner, bob admin, carol admin, dora editor", "deleted: alice owner, bob admin, carol admin",
      refused: ["bob", nil]),
    Pair(
      "delete and role", .close, .share("bob", with: "dora", .admin),
      "deleted: alice owner, bob admin, carol admin, dora editor",
      "deleted: alice owner, bob admin, carol admin, dora admin", refused: ["bob", nil]),
    Pair(
      "delete and leave", .close, .leave("dora"),
      "deleted: alice owner, bob admin, carol admin, dora editor", "deleted: alice owner, bob admin, carol admin"),
  ]

  @Test(arguments: pairs, [true, false])
  func endsInOneState(_ pair: Pair, _ firstSyncsFirst: Bool) async throws {
    let flat = try await Flat()
    try await flat.prepare([pair.first, pair.second])
    for change in [pair.first, pair.second] { try await flat.make(change) }
    let order = firstSyncsFirst ? [pair.first.by, pair.second.by] : [pair.second.by, pair.first.by]
    for name in order { try await flat.sync(name) }
    try await flat.settle()
    let end = firstSyncsFirst ? pair.ends[0] : pair.ends[pair.ends.count - 1]
    try flat.expect(end, without: pair.without)
    #expect(try flat.refused() == Set([pair.refused[firstSyncsFirst ? 0 : 1]].compactMap { $0 }))
    try await flat.expectThatTheyGoOn(end, without: pair.without)
  }
}

/// Five people, four of them on one list.
private struct Flat: @unchecked Sendable {
  let world: World
  let devices: [String: Device]
  let branch: CloudID

  private static let names = ["alice", "bob", "carol", "dora", "erin"]
  private static let template = Task { try await Flat(making: World(seed: "flat")) }

  init() async throws {
    let template = try await Self.template.value
    world = try World(copying: template.world, seed: "flat again")
    devices = try Self.devices(in: world)
    branch = template.branch
  }

  private init(making world: World) async throws {
    self.world = world
    for name in Self.names { _ = try await world.person(name) }
    devices = try Self.devices(in: world)
    let alice = devices["alice"]!
    try alice.add("Flat", "rent")
    for (name, role) in [("bob", Role.admin), ("carol", .admin), ("dora", .editor)] {
      try await alice.share("Flat", with: name, role: role)
    }
    // Everybody has met everybody.
    for device in devices.values { for name in Self.names { _ = try await device.session.lookUp(handle: name) } }
    try await alice.sync()
    branch = try alice.branch("Flat")
    for name in ["bob", "carol", "dora"] {
      try await devices[name]!.sync()
      try devices[name]!.accept()
      try await devices[name]!.sync()
    }
    try await settle()
  }

  private static func devices(in world: World) throws -> [String: Device] {
    try Dictionary(uniqueKeysWithValues: names.map { ($0, try world.device($0)) })
  }

  private func user(_ name: String) throws -> UserID {
    try devices[name]!.database.read { try $0.requireAccount().user }
  }

  /// A transfer is agreed on before: what is at the same time is the owner's record.
  func prepare(_ changes: [MembershipPairTests.Change]) async throws {
    for case .giveAway(let name) in changes {
      let successor = try user(name)
      try devices["alice"]!.database.write { transaction in
        try transaction.offerOwnership(of: transaction.lists()[0].node, to: successor, title: "Flat")
      }
      try await sync("alice")
      try await sync(name)
      try devices[name]!.accept()
      try await sync(name)
      // Alice's device reads that it was accepted, and gets no further.
      let alice = devices["alice"]!
      alice.transport.setFate { $0.path == Route.batch.path ? .lost : .delivered }
      await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
      alice.transport.setFate { _ in .delivered }
    }
  }

  func make(_ change: MembershipPairTests.Change) async throws {
    let device = devices[change.by]!
    switch change {
    case .share(_, let name, let role): try await device.share("Flat", with: name, role: role)
    case .remove(_, let name):
      let other = try user(name)
      _ = try device.database.write { try $0.unshare($0.lists()[0].node, with: other) }
    case .claim:
      let owner = try user("alice")
      let code = try devices["alice"]!.database.write {
        try $0.makeCode(for: $0.lists()[0].node, role: .viewer, title: "Flat", note: "")
      }
      try device.database.write { try $0.claim(code, of: owner) }
    case .leave: _ = try device.database.write { try $0.leave($0.lists()[0].node) }
    case .close: _ = try device.database.write { try $0.close($0.lists()[0].node) }
    case .giveAway: break
    }
  }

  func sync(_ name: String) async throws { try await devices[name]!.sync() }

  func settle() async throws {
    for _ in 0..<3 {
      var moved = false
      for name in Self.names {
        let report = try await devices[name]!.sync()
        moved = moved || report.received + report.sent > 0
      }
      if !moved { return }
    }
  }

  /// Whose change was refused.
  func refused() throws -> Set<String> {
    Set(
      try Self.names.filter { name in
        try devices[name]!.database.read {
          try $0.operations().contains { $0.kind == .permit && $0.state == .refused }
        }
      })
  }

  /// What those who may write there write is read by everybody who is on it.
  func expectThatTheyGoOn(_ end: String, without: Set<String>) async throws {
    if end.hasPrefix("deleted") { return }
    let holders = Self.names.filter { end.contains($0) && !without.contains($0) }
    let writers = try holders.filter { name in
      try devices[name]!.database.read { transaction in
        try transaction.lists().first.map { try transaction.mayWrite($0.node) } ?? false
      }
    }
    #expect(writers == holders.filter { !end.contains("\($0) viewer") })
    for name in writers { try devices[name]!.add("Flat", "from \(name)") }
    try await settle()
    for name in holders {
      let read = try devices[name]!.titles("Flat").filter { $0.hasPrefix("from ") }
      #expect(read.sorted() == writers.map { "from \($0)" }, "\(name)")
    }
  }

  /// Everybody who is on it sees the same people; nobody else has it.
  func expect(_ end: String, without: Set<String>) throws {
    let record = try #require(try world.storage.read { try $0.permissions(of: branch) })
    let members = Set(try PermissionsBody(decoding: record.body).entries.compactMap(\.user))
    for name in Self.names {
      let device = devices[name]!
      let seen = try device.database.read { transaction -> String? in
        guard let branch = try transaction.branch(branch), try transaction.troubles().isEmpty,
          let root = try transaction.root(of: branch)
        else { return nil }
        let members = try transaction.members(of: root.id).map { "\($0.name) \($0.role.rawValue)" }
        return try (transaction.isClosed(root.branch) ? "deleted: " : "") + members.joined(separator: ", ")
      }
      let isMember = try members.contains(user(name))
      let hasList = try device.database.read { try $0.branch(branch) != nil }
      #expect(hasList || !isMember || without.contains(name), "\(name) has lost the list")
      if isMember, hasList { #expect(seen == end, "\(name)") } else { #expect(seen == nil, "\(name)") }
      #expect(end.contains(name) == isMember, "\(name)")
      #expect(try device.database.read { try $0.undecided() } == [], "\(name)")
      #expect(try device.quarantine().isEmpty, "\(name)")
    }
  }
}

extension CloudTransaction {
  /// What waits, but for what was refused for want of a letter or because the list has ended, and what waits for that: an invitation.
  fileprivate func undecided() throws -> [QueuedOperation.Kind] {
    let refused = try operations().filter {
      $0.state == .refused && [.letterMissing, .branchDenied, .branchClosed].contains($0.reason)
    }
    let excused = try (refused + refused.flatMap { try operations(waitingFor: $0.sequence) }).map(\.sequence)
    return try operations().filter { !excused.contains($0.sequence) }.map(\.kind)
  }
}
