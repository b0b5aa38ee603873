import Sharing
import Treesystem

/// In the end all is well again: network, disks and clocks. Then everybody syncs, a bounded number of times.
struct Healing {
  let world: World
  let seats: [Seat]
  /// Whether people have yet to do what a device that was lied to asks them for.
  var isBeforeMending = false

  /// Rounds in which every device syncs once, until a round moves nothing: two for what is queued to reach the server and
  /// come back, and one more for each device that may have to join what the others joined.
  var rounds: Int { 4 + 2 * world.devices.count }

  /// Lets network, disks and clocks be well, and waits until nothing is on its way any more.
  static func calm(_ world: World) async {
    world.isHostile = false
    world.liar?.turnHonest()
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
  }

  /// Lets everybody sync until nothing moves.
  func heal() async {
    for _ in 0..<rounds {
      if await !isMoving() { return }
    }
    if isBeforeMending, Mending(world: world, seats: seats).isNeeded() {
      world.unsettled += 1
      return world.log("all", "not settled within \(rounds) rounds, before a repair")
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
      try await seat.sendPictures(process)
      let report = try await process.session.sync()
      seat.judge(report)
      seat.log("sync: \(report.received) in, \(report.sent) out, \(report.unsent) left, \(report.refused) refused")
      world.oracle.checkCursors(of: process, in: world)
      world.hostileMember?.look(process, seat)
      return report.received + report.sent > 0
    } catch {
      world.fail("\(seat.name) cannot sync in a healthy world: \(error)")
      return false
    }
  }
}
