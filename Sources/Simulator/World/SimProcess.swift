import CloudAPI
import GRDB
import Sharing
import TodoCore
import Treesystem

/// One running program on a device.
final class SimProcess: @unchecked Sendable {
  let id: Int
  let device: SimDevice
  private let profile: Profile
  let session: CloudSession

  var isAlive: Bool { device.machine.isAlive(id) }
  var database: CloudDatabase { profile.database }

  /// Starts a program and opens the profile; throws where the disk does not let it.
  init(on device: SimDevice, in world: World) throws {
    self.device = device
    let process = world.disks.start(on: device.machine)
    id = process
    let app: any SharingApp =
      world.hostileMember.flatMap { $0.owns(device) ? HostileApp($0) : nil } ?? TodoDelegate()
    do {
      profile = try Profile(Berth(device.machine, process: process), app: app)
    } catch {
      device.machine.end(process)
      throw error
    }
    profile.clock.clock = device.clock
    profile.entropy.begin(world.seed &* 31 &+ UInt64(id) &* 0x1_0001 &+ 7)
    let transport = SimTransport(network: world.network, device: device, process: id)
    session = CloudSession(database: profile.database, transport: transport, authority: "sim", app: app)
    device.programs[id] = Weak(self)
  }
}

/// A profile's database, with the clock and the chance of the process that has it open.
final class Profile {
  let database: CloudDatabase
  let clock = ProcessClock()
  let entropy = DiceEntropy(0)

  init(_ berth: Berth, app: any SharingApp) throws {
    database = try CloudDatabase(
      path: "/\(berth.number)/todo.db", files: SimFiles(berth: berth), appMigrations: appMigrations,
      app: SharingDelegate(app: app), entropy: entropy, clock: clock)
  }
}

/// The tables of the whole program.
let appMigrations = sharingMigrations + TodoTables.migrations
