import CloudAPI
import CloudServer
import Sharing
import Signing
import TodoCore
import Treesystem

extension Template {
  /// The worlds that seeds begin with: strangers, two who share a list, three of whom one has two devices,
  /// one who shares with nobody but has two devices, and an owner with two admins.
  static func all() throws -> [Template] {
    let blank = try blankProfile()
    return try [
      make(seed: 1) { stage in
        try await stage.signUp("alice")
        try await stage.signUp("bob")
        try await stage.list("alice", "Home")
        try await stage.list("bob", "Work")
      },
      make(seed: 2) { stage in
        try await stage.signUp("alice")
        try await stage.signUp("bob")
        try await stage.list("alice", "Groceries")
        try await stage.share("alice", "bob", .editor)
      },
      make(seed: 3) { stage in
        try await stage.signUp("alice")
        try await stage.signUp("bob")
        try await stage.signUp("carol")
        try await stage.list("alice", "Trip")
        try await stage.share("alice", "bob", .admin)
        try await stage.share("alice", "carol", .viewer)
        try await stage.logIn("alice", as: "alice2")
      },
      make(seed: 4) { stage in
        try await stage.signUp("alice")
        try await stage.list("alice", "Home")
        try await stage.list("alice", "Ideas")
        try await stage.logIn("alice", as: "alice2")
      },
      make(seed: 5) { stage in
        try await stage.signUp("alice")
        try await stage.signUp("bob")
        try await stage.signUp("carol")
        try await stage.list("alice", "Trip")
        try await stage.share("alice", "bob", .admin)
        try await stage.share("alice", "carol", .admin)
      },
    ].map { template in
      var template = template
      template.blank = blank
      return template
    }
  }

  static func blankProfile() throws -> [String: [UInt8]] {
    let world = World(seed: 0, template: Template())
    let device = world.addDevice("blank", of: Human(handle: "nobody", root: nil), files: [:])
    var process: SimProcess? = try SimProcess(on: device, in: world)
    let id = process?.id ?? 0
    process = nil
    device.machine.end(id)
    return device.machine.backup()
  }

  static func make(
    seed: UInt64, _ body: @escaping @Sendable (Stage) async throws -> Void
  ) throws -> Template {
    let world = World(seed: seed, template: Template())
    let stage = Stage(world)
    world.executor.spawn {
      world.server.start()
      do {
        try await body(stage)
        for seat in stage.seats { await stage.sync(seat) }
      } catch {
        stage.error = error
      }
      for seat in stage.seats { seat.close() }
      world.server.stop()
      stage.isOver = true
    }
    _ = world.executor.run(jobLimit: 1_000_000)
    if let error = stage.error { throw error }
    precondition(stage.isOver && world.failures.isEmpty, "the first scene fails: \(world.failures)")
    var template = Template()
    template.now = world.executor.now
    template.server = world.server.machine.backup()
    template.people = world.people.map { Somebody(handle: $0.handle, root: stage.roots[$0.handle]) }
    template.devices = world.devices.map {
      Device(name: $0.name, handle: $0.person.handle, files: $0.machine.backup())
    }
    return template
  }
}

/// Where a template is prepared.
final class Stage: @unchecked Sendable {
  let world: World
  var seats: [Seat] = []
  var roots: [String: RootKey] = [:]
  var error: (any Error)?
  var isOver = false

  init(_ world: World) { self.world = world }

  private func process(_ name: String) async throws -> SimProcess {
    guard let seat = seats.first(where: { $0.name == name }), let process = await seat.running() else {
      throw TreeError.noSuchNode
    }
    return process
  }

  private func seat(_ name: String, _ person: Human) {
    seats.append(Seat(world, world.addDevice(name, of: person, files: [:]), number: 0))
  }

  func sync(_ seat: Seat) async { if let process = await seat.running() { await seat.sync(process) } }

  func signUp(_ handle: String) async throws {
    let person = Human(handle: handle, root: nil)
    world.people.append(person)
    seat(handle, person)
    let process = try await process(handle)
    try await process.session.signUp(handle: handle, server: "sim")
    roots[handle] = try process.database.read { try $0.root() }
    _ = try await process.session.sync()
  }

  func logIn(_ handle: String, as name: String) async throws {
    guard let person = world.people.first(where: { $0.handle == handle }), let root = roots[handle] else { return }
    seat(name, person)
    let process = try await process(name)
    try await process.session.logIn(root: root, handle: handle, server: "sim")
    _ = try await process.session.sync()
  }

  func list(_ name: String, _ title: String) async throws {
    let process = try await process(name)
    try process.database.write { transaction in
      guard case .list(let list) = try transaction.addList(try ListName("\(Oracle.marker) \(title)")) else { return }
      try transaction.addTodos(
        [try Title("\(Oracle.marker) first"), try Title("\(Oracle.marker) second")], to: list.node)
    }
    _ = try await process.session.sync()
  }

  /// - Parameter title: of the list; nil is the first.
  func share(_ owner: String, _ guest: String, _ role: Role, _ title: String? = nil) async throws {
    let from = try await process(owner)
    guard let person = try await from.session.lookUp(handle: guest) else { return }
    try from.database.write { transaction in
      let lists = try transaction.lists()
      guard
        let list = title == nil ? lists.first : lists.first(where: { $0.title == "\(Oracle.marker) \(title ?? "")" })
      else { return }
      try transaction.share(list.node, with: person.user, role: role, title: list.title, note: "")
    }
    _ = try await from.session.sync()
    let to = try await process(guest)
    _ = try await to.session.sync()
    try to.database.write { transaction in
      for invite in try transaction.invites() { try transaction.graftInvite(invite.number) }
    }
    _ = try await to.session.sync()
  }
}
