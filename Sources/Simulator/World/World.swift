import Foundation
import Sharing
import Signing
import Treesystem

/// A server, people with their devices, and everything that goes wrong between them, from one seed.
final class World: @unchecked Sendable {
  let seed: UInt64
  let executor: SimExecutor
  let disks = DiskWorld()
  let server: SimServer
  let network: Network
  let chronicle = Chronicle()
  let oracle = Oracle()
  var dice: Dice
  var people: [Human] = []
  var devices: [SimDevice] = []
  /// Whether things may still go wrong: until everything is healed.
  var isHostile = false
  /// Whether people change above all who shares their lists.
  let isQuarrel: Bool
  /// The codes that somebody has in their hands, and who made them.
  var codes: [(code: InviteCode, maker: Human)] = []
  /// Who stands between the devices and the server, in a world where the server lies.
  var liar: Liar?
  /// Who changes their own database between a command and its sync, in a world with a hostile member.
  var hostileMember: HostileMember?
  /// How many branches ended with another past than the server's, on how many devices.
  var forks = 0
  /// Whether devices went on sending each other changes until what one of them misses was read again.
  var unsettled = 0
  /// By how much the clock that went ahead furthest did so, in milliseconds.
  var furthestClock: Int64 = 0
  /// A profile in which nothing was ever done.
  let blank: [String: [UInt8]]
  /// Hears of devices that somebody got while the world is at work.
  var onNewSeat: (Seat) -> Void = { _ in }
  /// How many texts were typed.
  var titles = 0
  private(set) var failures: [String] = []
  private let began: Int64

  init(seed: UInt64, template: Template) {
    self.seed = seed
    dice = Dice(seed)
    isQuarrel = seed % 4 == 3
    began = template.now
    blank = template.blank
    executor = SimExecutor(seed: seed, now: template.now)
    let machine = Machine("server", files: template.server, isProfile: false, seed: seed ^ 0x5E4)
    server = SimServer(machine, disks: disks, clock: SimClock(executor))
    network = Network(executor: executor, seed: seed ^ 0x4E7)
    MemoryVFS.world = disks
    disks.now = { [executor] in executor.now }
    disks.check = { [executor] in executor.requireOwnThread() }
    for person in template.people { people.append(Human(handle: person.handle, root: person.root)) }
    for device in template.devices {
      guard let person = people.first(where: { $0.handle == device.handle }) else { continue }
      addDevice(device.name, of: person, files: device.files)
    }
    network.world = self
    server.world = self
  }

  @discardableResult
  func addDevice(_ name: String, of person: Human, files: [String: [UInt8]]) -> SimDevice {
    let machine = Machine(name, files: files, isProfile: true, seed: seed ^ UInt64(devices.count + 1) &* 0x77)
    let device = SimDevice(name, person, machine, SimClock(executor))
    machine.onViolation = { [unowned self] in fail($0) }
    machine.onCrash = { [unowned self, unowned machine] kind in
      log(name, "\(kind.rawValue) at step \(machine.steps)")
    }
    devices.append(device)
    return device
  }

  func log(_ who: String, _ what: String) { chronicle.add("\(executor.now - began) \(who): \(what)") }

  /// An invariant does not hold.
  func fail(_ what: String) {
    chronicle.add("!! \(what)")
    failures.append(what)
  }
}

/// Somebody with an account.
final class Human {
  let handle: String
  let root: RootKey?

  init(handle: String, root: RootKey?) {
    self.handle = handle
    self.root = root
  }
}

/// A computer of a person's, with one profile.
final class SimDevice {
  let name: String
  let person: Human
  let machine: Machine
  let clock: SimClock
  var weather = Weather.calm
  var backup: [String: [UInt8]]?
  /// How many promises this device had made when the backup was taken.
  var promisesAtBackup = 0
  var openings: UInt64 = 0
  /// Whether it waits for another device of its person's to add it, and the code that it shows.
  var asksToBeAdded = false
  var code: LoginCode?
  /// Who this device is in its account's keyring, once somebody looked.
  var id: DeviceID?
  /// The programs that were started here.
  var programs: [Int: Weak<SimProcess>] = [:]
  /// Since its last sync began: a sync that never ends is a defect.
  var requests = 0

  init(_ name: String, _ person: Human, _ machine: Machine, _ clock: SimClock) {
    self.name = name
    self.person = person
    self.machine = machine
    self.clock = clock
  }
}

/// Refers to an object without keeping it.
struct Weak<Object: AnyObject> {
  weak var value: Object?

  init(_ value: Object) { self.value = value }
}
