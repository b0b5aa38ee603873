import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// Somebody at a device, who does one thing after another. Two seats at one device are two programs on one profile.
final class Seat: @unchecked Sendable {
  let world: World
  let device: SimDevice
  let name: String
  var process: SimProcess?

  init(_ world: World, _ device: SimDevice, number: Int) {
    self.world = world
    self.device = device
    name = number == 0 ? device.name : "\(device.name)#\(number)"
  }

  func log(_ what: String) { world.log(name, what) }

  /// An invariant does not hold, as far as this seat can be believed: what a hostile member sees is nobody's fault but theirs.
  func fail(_ what: String) {
    if isHostile { log("sees: \(what)") } else { world.fail(what) }
  }

  /// Whether whoever sits here changes their own database.
  var isHostile: Bool { world.hostileMember?.owns(device) ?? false }

  /// Does so many things, with pauses.
  func live(steps: Int) async {
    for _ in 0..<steps {
      await world.executor.sleep(Int64(world.dice.roll(4000)))
      await doSomething()
      if process?.isAlive == false {
        process = nil
        await world.executor.sleep(Int64(world.dice.roll(30_000)))
      } else if world.dice.chance(50) {
        close()
      }
    }
  }

  private func doSomething() async {
    if let process = await running() { await act(process) }
  }

  /// The running program, or a new one.
  func running() async -> SimProcess? {
    if let process, process.isAlive { return process }
    process = nil
    do {
      process = try SimProcess(on: device, in: world)
      log("opened")
    } catch {
      expect(error, "opening")
      await world.executor.sleep(Int64(world.dice.roll(10_000)))
    }
    return process
  }

  /// Ends the program in good order, which checkpoints its log.
  func close() {
    guard let id = process?.id else { return }
    process = nil
    device.machine.end(id)
  }

  /// What may go wrong is named here; anything else is a defect.
  func expect(_ error: any Error, _ doing: String) {
    log("\(doing): \(error)")
    if isHostile { return }
    switch error {
    case StoreError.diskFull, StoreError.disk, StoreError.notWritable: return
    case CloudFailure.unreachable, is Declined: return
    // What was offered may have been taken back since it was looked at, and the list may be about to end.
    case ShareError.offerOver, ShareError.closing, ShareError.leaving, ShareError.takingOver, ShareError.closed:
      return
    case CloudFailure.refused(let refusal) where refusal.isPassing: return
    case CloudFailure.refused(.deviceUnknown) where world.mayHaveEnded(device): return
    case Refusal.deviceUnknown where world.mayHaveEnded(device): return
    default:
      if world.liar?.explains(error, on: device) == true { return }
      fail("\(name) was told something strange while \(doing): \(error)")
    }
  }
}
