import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Two devices that have read the same lines show the same list, attacked with random histories.
@Suite struct ConvergenceTests {
  private static let template = Task { try await Trio() }

  @Test(arguments: 1...20)
  func threeDevicesEndAlike(_ seed: Int) async throws {
    let world = try await World(copying: Self.template.value.world, seed: "converge \(seed)")
    let devices = try ["alice", "bob", "tablet"].map { try world.device($0) }
    let (alice, bob, tablet) = (devices[0], devices[1], devices[2])
    var history = History(devices, SeededEntropy("history \(seed)"), world)
    for _ in 0..<30 { try await history.step() }
    for device in devices { device.transport.setFate { _ in .delivered } }
    try await settle(alice, bob, tablet)
    try await settle(tablet, bob, alice)
    let end = try alice.everything()
    for device in devices {
      #expect(try device.everything() == end)
      #expect(try device.quarantine().isEmpty)
      #expect(try device.unsent() == 0)
      #expect(try device.listNames() == ["Groceries"])
      #expect(try await device.sync().troubles.isEmpty)
    }
    for title in history.added where !history.changed.contains(title) { #expect(end.contains(title)) }
  }
}

/// Alice and bob on one list, and bob's tablet.
private struct Trio: @unchecked Sendable {
  let world: World

  init() async throws {
    world = try World(seed: "three devices")
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    try alice.add("Groceries", "Milk", "Eggs")
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    try bob.accept()
    try await settle(alice, bob, bob.second("tablet", "bob", in: world))
  }
}

/// Random people on a random network, from a seed.
private struct History {
  let devices: [Device]
  let entropy: SeededEntropy
  let world: World
  var added: Set<String> = []
  /// What was edited, ticked or removed by somebody.
  var changed: Set<String> = []

  init(_ devices: [Device], _ entropy: SeededEntropy, _ world: World) {
    self.devices = devices
    self.entropy = entropy
    self.world = world
  }

  func roll(_ sides: Int) -> Int { Int(entropy.bytes(1)[0]) % sides }

  mutating func step() async throws {
    let device = devices[roll(devices.count)]
    if roll(3) == 0 { world.clock.advance(Int64(roll(20))) }
    switch roll(10) {
    case 0, 1: try add(device)
    case 2, 3:
      let title = try Title("edited \(Base32.encode(entropy.bytes(3)))")
      try change(device) { try $0.setTitle(title, of: $1) }
    case 4: try change(device) { try $0.setDone($1.doneAt == nil, $1) }
    case 5: try change(device) { try $0.removeTodo($1) }
    default: try await sync(device)
    }
  }

  private mutating func add(_ device: Device) throws {
    let title = "added \(Base32.encode(entropy.bytes(5)))"
    try device.add("Groceries", title)
    added.insert(title)
  }

  private mutating func change(_ device: Device, _ body: (CloudTransaction, Todo) throws -> Void) throws {
    let todos = try device.database.read { transaction in
      let list = try transaction.lists()[0].node
      return try transaction.todos(in: list, .open) + transaction.todos(in: list, .done)
    }
    guard !todos.isEmpty else { return }
    let todo = todos[roll(todos.count)]
    changed.insert(todo.title)
    try device.database.write { try body($0, todo) }
  }

  /// One request in five is lost, or its answer.
  private func sync(_ device: Device) async throws {
    let entropy = entropy
    device.transport.setFate { _ in [.lost, .replyLost][safe: Int(entropy.bytes(1)[0]) % 10] ?? .delivered }
    _ = try await device.isStopped()
  }
}

extension Array {
  fileprivate subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}

extension Device {
  /// Open, done and removed titles of the first list.
  fileprivate func everything() throws -> [String] {
    try database.read { transaction in
      let list = try transaction.lists()[0].node
      return try [TodoState.open, .done, .trash].flatMap { state in
        try transaction.todos(in: list, state).map { state == .open ? $0.title : "\(state) \($0.title)" }
      }.sorted()
    }
  }
}
