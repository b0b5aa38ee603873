import Sharing
import Treesystem

/// In the end all is well again: network, disks and clocks. Then everybody syncs, a bounded number of times.
struct Healing {
  let world: World
  let seats: [Seat]

  /// Rounds in which every device syncs once, until a round moves nothing: two for what is queued to reach the server and
  /// come back, and one more for each device that may have to join what the others joined.
  var rounds: Int { 4 + 2 * world.devices.count }

  func heal() async {
    world.isHostile = false
    world.server.machine.fault = nil
    for device in world.devices {
      device.machine.fault = nil
      device.clock.error = 0
      device.weather = .calm
    }
    // What is still on its way arrives, and a server that died is up again.
    await world.executor.sleep(100_000)
    if !world.server.isUp { world.server.start() }
    world.log("all", "healed")
    for _ in 0..<rounds {
      if await !isMoving() { return }
    }
    world.fail("it does not settle within \(rounds) rounds")
  }

  /// Lets every device sync. Returns whether that changed anything.
  private func isMoving() async -> Bool {
    var moved = false
    for seat in seats where await moves(seat) { moved = true }
    return moved
  }

  private func moves(_ seat: Seat) async -> Bool {
    guard let process = await seat.running() else {
      world.fail("\(seat.name) cannot open a healthy disk")
      return false
    }
    seat.device.requests = 0
    do {
      let report = try await process.session.sync()
      seat.judge(report)
      seat.log("sync: \(report.received) in, \(report.sent) out, \(report.unsent) left, \(report.refused) refused")
      world.oracle.checkCursors(of: process, in: world)
      return report.received + report.sent > 0
    } catch {
      world.fail("\(seat.name) cannot sync in a healthy world: \(error)")
      return false
    }
  }
}
