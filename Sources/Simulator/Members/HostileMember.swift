import CloudAPI
import GRDB
import Signing
import TodoCore
import Treesystem

/// A person with the stock client who changes their own database between a command and its sync. The server is honest.
final class HostileMember {
  static let handle = "mallory"
  /// How many of a thousand syncs carry a mutation.
  private static let zeal = 800
  /// Changes of one sync, of which some find nothing that fits.
  private static let attempts = 3
  /// In how many of a thousand worlds she has a favourite mutation, and how many of a thousand mutations there are of that kind.
  private static let bias = 670

  unowned let world: World
  let authorship: Authorship
  let nameKeys = NameKeys()
  let listBook = ListBook()
  let todoNames = TodoNames()
  let keptTodos = KeptTodos()
  let entropy: DiceEntropy
  var dice: Dice
  /// The one that she makes most of the time, in two worlds out of three: some laws are only at stake where several of a kind meet.
  let favourite: (any Mutation)?
  /// What her client sends in the place of what a node has.
  var sentInstead: [CloudID: NodeData] = [:]
  /// The names that she gave to nodes, which may be those of others.
  private(set) var givenNames: Set<String> = []
  /// How often each mutation was made.
  private(set) var told: [String: Int] = [:]

  init(_ world: World) {
    self.world = world
    authorship = Authorship()
    var dice = Dice(world.seed ^ 0x3A11)
    favourite = dice.chance(Self.bias) ? dice.pick(Self.kinds) : nil
    self.dice = dice
    entropy = DiceEntropy(world.seed ^ 0x3A12)
  }

  /// A mutation: mostly the favourite one.
  private func draw() -> (any Mutation)? {
    if let favourite, dice.chance(Self.bias) { return favourite }
    return dice.pick(Self.mutations)
  }

  func owns(_ device: SimDevice) -> Bool { device.person.handle == Self.handle }

  /// Changes what waits to be sent, sometimes twice.
  func strike(_ process: SimProcess, _ seat: Seat) {
    guard dice.chance(Self.zeal) else { return }
    for _ in 0..<Self.attempts {
      guard let mutation = draw() else { return }
      do {
        let what = try process.database.write { transaction in
          try authorship.watch(transaction, by: Self.handle, on: seat.device.name) { transaction in
            let before = try Self.names(transaction)
            let what = try mutation.change(Forge(transaction: transaction, member: self))
            for (node, name) in try Self.names(transaction) where before[node] != name { givenNames.insert(name) }
            return what
          }
        }
        guard let what, process.isAlive else { continue }
        told[mutation.name, default: 0] += 1
        seat.log("forges \(mutation.name): \(what)")
      } catch {
        seat.log("forges \(mutation.name) in vain: \(error)")
      }
    }
  }

  private static func names(_ transaction: CloudTransaction) throws -> [NodeID: String] {
    let rows = try Row.fetchAll(transaction.db, sql: "SELECT id, name FROM nodes")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  /// Looks at a device after its sync.
  func look(_ process: SimProcess, _ seat: Seat) {
    do {
      try process.database.read { transaction in
        try authorship.look(transaction, isHers: seat.isHostile)
        let changed = try nameKeys.look(transaction, isHers: seat.isHostile)
        for place in changed { world.fail("\(seat.name) changed the name key of \(place)") }
        guard !seat.isHostile else { return }
        for branch in try NestedPlaces.misplaced(transaction) {
          world.fail("\(seat.name) has \(branch) where its first record does not say")
        }
        try authorship.look(transaction, on: seat.device.name)
        for (old, new) in try todoNames.look(transaction, on: seat.device.name) { world.oracle.renamed(old, to: new) }
        for title in try keptTodos.look(transaction, on: seat.device.name) {
          world.fail("\(seat.name) had a todo, which is something else now: '\(title)'")
        }
        for change in try listBook.look(transaction, on: seat.device.name) {
          world.fail("\(seat.name): somebody else's write decides over a list: \(change)")
        }
      }
    } catch {
      if process.isAlive { seat.expect(error, "looking") }
    }
  }

  /// Whether she could ever write in a branch, as far as the server or her own devices know.
  func mayHaveWritten(_ branch: CloudID) -> Bool {
    if authorship.writable.contains(branch) { return true }
    guard let user = try? world.server.user(handle: Self.handle) else { return false }
    let history = (try? world.server.permissionsHistory(of: branch)) ?? []
    return history.contains { $0.body.letters(of: user).contains(.write) }
  }

  /// The same of a list by its id.
  func mayHaveWritten(list: String) -> Bool {
    Base32.decode(list).flatMap { CloudID(bytes: $0) }.map(mayHaveWritten) ?? false
  }
}

/// One kind of change to what waits in the queue.
protocol Mutation: Sendable {
  var name: String { get }
  /// Makes it. Returns what it came to; nil where nothing fits.
  func change(_ forge: Forge) throws -> String?
  /// What people do more often where it is her favourite: it reaches them through that.
  var deeds: [Deed] { get }
}

extension Mutation {
  var deeds: [Deed] { [] }
}

extension HostileMember {
  /// Each as often as it stands here: those that reach beyond their own branch more often.
  static let mutations: [any Mutation] = [
    HistoryMutation(), ContextMutation(), ElementMutation(), RegisterMutation(), RegisterMutation(), RootMutation(),
    RootMutation(), KindMutation(), PointerMutation(), NameMutation(), NameMutation(), IdentityMutation(),
    IdentityMutation(), IdentityMutation(), ChildMutation(), ChildMutation(), ChildMutation(), OccurrenceMutation(),
    DestinationMutation(), PlaceMutation(), FileMutation(), FileMutation(), GraveMutation(), ContentMutation(),
    ContentMutation(),
  ]

  /// Each once.
  fileprivate static let kinds = mutations.reduce(into: [any Mutation]()) { kinds, mutation in
    if !kinds.contains(where: { $0.name == mutation.name }) { kinds.append(mutation) }
  }
}
