import Signing

/// What a seed came to.
package struct Outcome: Sendable {
  package let seed: UInt64
  package let failures: [String]
  package let lines: [String]
  package let hash: UInt64
  /// How often each lie was told, or each mutation made; none where server and members are honest.
  package let lies: [String: Int]
  /// How many reports of devices a lie explains.
  package let noticed: Int
  /// How many branches ended with another past than the server's.
  package let forks: Int
  /// How often devices did not come to rest before a repair.
  package let unsettled: Int
}

/// Who makes trouble in a world, beside network, disks and clocks. The raw value is the command that plays such worlds.
package enum WorldKind: String, Sendable {
  case honest = "run"
  case lyingServer = "hostile"
  case hostileMember = "members"
}

/// Plays seeds, one after another.
package final class Simulation {
  private let kind: WorldKind
  private let templates: [Template]
  /// More jobs than any world of this size needs.
  private static let jobLimit = 2_000_000

  /// Prepares the worlds that seeds begin with.
  package init(_ kind: WorldKind = .honest) throws {
    self.kind = kind
    prepareSodium()
    _ = MemoryVFS.install
    SignatureMemo.install()
    templates = try kind == .hostileMember ? Template.withHostileMember() : Template.all()
    SignatureMemo.keep()
  }

  /// The mistakes that can be planted.
  package static var defects: [String] { Defect.allCases.map(\.rawValue) }

  /// In which worlds a mistake shows.
  package static func kind(of defect: String) -> WorldKind {
    Defect(rawValue: defect).map { Defect.besideHostileMembers.contains($0) } == true ? .hostileMember : .honest
  }

  /// Plants a mistake in everything that is played from now on. Returns whether it exists.
  package func plant(_ name: String) -> Bool {
    guard let defect = Defect(rawValue: name) else { return false }
    Defect.plant(defect)
    return true
  }

  /// Takes the mistake out again.
  package func heal() { Defect.plant(nil) }

  /// The checks that keep a client from believing a server.
  package static var defences: [String] { Defence.allCases.map(\.rawValue) }

  /// Takes a check out of everything that is played from now on; nil puts it back. Returns whether it exists.
  package func takeDown(_ name: String?) -> Bool {
    let defence = name.flatMap { Defence(rawValue: $0) }
    Defence.takeDown(defence)
    return name == nil || defence != nil
  }

  /// Plays one seed. `listener` hears every line as it happens.
  package func run(_ seed: UInt64, listener: ((String) -> Void)? = nil) -> Outcome {
    var dice = Dice(seed)
    let template = templates[dice.roll(templates.count)]
    let world = World(seed: seed, template: template)
    world.chronicle.listener = listener
    switch kind {
    case .honest: break
    case .lyingServer: world.liar = Liar(world)
    case .hostileMember: world.hostileMember = HostileMember(world)
    }
    let game = Game(world)
    world.executor.spawn { await game.play() }
    let ended = world.executor.run(jobLimit: Self.jobLimit)
    if !ended { world.fail("it never ends: more than \(Self.jobLimit) jobs") }
    if !game.isOver { world.fail("everybody waits for something that never comes") }
    world.server.stop()
    SignatureMemo.clear()
    return Outcome(
      seed: seed, failures: world.failures, lines: world.chronicle.lines, hash: world.chronicle.hash,
      lies: world.liar?.ledger.told ?? world.hostileMember?.told ?? [:], noticed: world.liar?.ledger.noticed ?? 0,
      forks: world.forks,
      unsettled: world.unsettled)
  }
}

/// One seed from beginning to end.
final class Game: @unchecked Sendable {
  private let world: World
  private var seats: [Seat] = []
  private var atWork = 0
  private(set) var isOver = false

  init(_ world: World) { self.world = world }

  func play() async {
    world.server.start()
    world.isHostile = world.dice.chance(900)
    for device in world.devices {
      for number in 0..<(world.dice.chance(200) ? 2 : 1) { seats.append(Seat(world, device, number: number)) }
    }
    await beginLying()
    await beginForging()
    let steps = (15 + world.dice.roll(26)) / seats.count + (world.hostileMember == nil ? 2 : 5)
    await work(steps: steps)
    let all = await lastSeats()
    await Healing.calm(world)
    // Only now it is certain which devices the server has as ended.
    let honest = all.filter { !$0.isHostile }
    let ended = honest.filter { world.hasEnded($0.device) }
    var last = honest.filter { !world.hasEnded($0.device) }
    await Healing(world: world, seats: last, isBeforeMending: world.liar != nil).heal()
    if world.liar != nil {
      await Mending(world: world, seats: last).mend()
      await Healing(world: world, seats: last).heal()
    }
    if world.hostileMember != nil {
      // What is ahead of the time is judged again after an hour. Whoever's own clock was as far ahead has believed it, the others
      // do when its time has come.
      await world.executor.sleep(3_700_000 + world.furthestClock)
      await Healing(world: world, seats: last).heal()
      last += await Newcomers(world: world).join()
      await Healing(world: world, seats: last).heal()
    }
    Verdict(world: world, seats: last, ended: ended).judge()
    for seat in all { seat.close() }
    isOver = true
  }

  private func work(steps: Int) async {
    atWork = seats.count
    for seat in seats {
      world.executor.spawn {
        await seat.live(steps: seat.isHostile ? 2 * steps : steps)
        self.atWork -= 1
      }
    }
    world.onNewSeat = { [unowned self] seat in
      seats.append(seat)
      atWork += 1
      world.executor.spawn {
        if await seat.logIn() { await seat.live(steps: steps) }
        self.atWork -= 1
      }
    }
    if let liar = world.liar { world.executor.spawn { await liar.live { self.atWork > 0 } } }
    if world.isHostile { await Chaos(world: world).rage { self.atWork > 0 } }
    while atWork > 0 { await world.executor.sleep(1000) }
  }

  /// Before the first lie everything that anybody has is honest.
  private func beginLying() async {
    guard let liar = world.liar else { return }
    world.log("liar", "begins")
    for seat in seats {
      guard let process = await seat.running() else { continue }
      do { try liar.honesty.begin(with: process) } catch { world.fail("\(seat.name): \(error)") }
    }
  }

  /// Before the first mutation everybody has what they wrote themselves.
  private func beginForging() async {
    guard let member = world.hostileMember else { return }
    for seat in seats {
      guard let process = await seat.running() else { continue }
      do { try member.authorship.begin(with: process, isHers: seat.isHostile) } catch {
        world.fail("\(seat.name): \(error)")
      }
    }
  }

  /// One for each device that belongs to somebody.
  private func lastSeats() async -> [Seat] {
    var last: [Seat] = []
    for device in world.devices {
      let seat = seats.first { $0.device === device }
      for other in seats where other.device === device && other !== seat { other.close() }
      device.machine.fault = nil
      if let seat, await seat.isSignedIn() { last.append(seat) } else { seat?.close() }
    }
    return last
  }
}
