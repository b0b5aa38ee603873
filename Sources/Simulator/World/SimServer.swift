import CloudAPI
import CloudServer
import Signing

/// The server on its machine: it can die at any step of its disk, and starts again.
final class SimServer {
  let machine: Machine
  let clock: SimClock
  weak var world: World?
  private let disks: DiskWorld
  /// A store beside the machine, which keeps what it has said to keep.
  private let blobs = MemoryBlobStore()
  private var process = 0
  private(set) var storage: SQLiteStorage?
  private var berth: Berth?
  private var cloud: Cloud?

  init(_ machine: Machine, disks: DiskWorld, clock: SimClock) {
    self.machine = machine
    self.disks = disks
    self.clock = clock
    machine.onCrash = { [unowned self] kind in
      world?.log("server", "\(kind.rawValue) at step \(machine.steps)")
      restartLater()
    }
  }

  var isUp: Bool { cloud != nil && machine.isAlive(process) }

  /// Starts the server, unless its disk does not let it; then it is tried again.
  func start() {
    process = disks.start(on: machine)
    do {
      let berth = Berth(machine, process: process)
      let storage = try SQLiteStorage(unlockedFolder: "/\(berth.number)")
      (self.storage, self.berth) = (storage, berth)
      let cloud = Cloud(storage: storage, blobs: blobs, policy: .open, clock: clock, acceptsRestores: true)
      try cloud.removeLeftovers()
      self.cloud = cloud
    } catch {
      close()
      machine.end(process)
      restartLater()
    }
  }

  /// Ends it in good order.
  func stop() {
    cloud = nil
    close()
    machine.end(process)
  }

  private func close() {
    storage?.close()
    (storage, berth) = (nil, nil)
  }

  private func restartLater() {
    guard let world else { return }
    world.executor.spawn {
      await world.executor.sleep(Int64(100 + world.dice.roll(20_000)))
      if !world.server.isUp {
        world.server.start()
        world.log("server", world.server.isUp ? "started" : "could not start")
      }
    }
  }

  /// Whom the entries of a living branch name, its owner included; nil if there is none.
  func readers(of branch: CloudID) throws -> [UserID?]? {
    try storage?.read { storage in
      guard let record = try storage.permissions(of: branch), try storage.node(branch, in: branch)?.isLive == true
      else {
        return nil
      }
      return try UnverifiedPermissions(record).body.entries.map(\.user)
    }
  }

  func user(handle: String) throws -> UserID? { try storage?.read { try $0.user(handle: handle) } }

  /// Answers; nil where there was nobody, or died over it.
  func handle(_ request: CloudRequest) -> CloudResponse? {
    guard isUp, let cloud else { return nil }
    let response = cloud.handle(request)
    guard machine.isAlive(process) else {
      self.cloud = nil
      close()
      return nil
    }
    return response
  }
}
