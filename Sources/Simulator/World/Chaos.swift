/// Lets things go wrong while people work.
struct Chaos {
  let world: World

  /// Goes on until nobody is at work any more.
  func rage(while busy: @escaping @Sendable () -> Bool) async {
    while busy() {
      await world.executor.sleep(Int64(500 + world.dice.roll(12_000)))
      guard busy() else { return }
      strike()
    }
  }

  private func strike() {
    guard let device = world.dice.pick(world.devices) else { return }
    switch world.dice.roll(20) {
    case 0..<6: device.weather = world.dice.pick([.calm, .rough, .rough, .storm, .offline]) ?? .calm
    case 6..<9: arm(device.machine, longest: 60)
    case 9..<12: arm(world.server.machine, longest: 120)
    case 12: device.machine.fault = Fault(kind: .powerCut, steps: 1 + world.dice.roll(60))
    case 13: turnClock(of: device)
    case 14: takeBackup(of: device)
    case 15 where world.dice.chance(300): restore(device)
    default: break
    }
  }

  private func arm(_ machine: Machine, longest: Int) {
    let kind = world.dice.pick([Fault.Kind.kill, .kill, .powerCut, .full, .syncError]) ?? .kill
    machine.fault = Fault(kind: kind, steps: 1 + world.dice.roll(longest), length: 1 + world.dice.roll(20))
  }

  /// By minutes, hours, days or years, ahead or back.
  private func turnClock(of device: SimDevice) {
    let span = world.dice.pick([60_000, 3_600_000, 86_400_000, 31_536_000_000] as [Int64]) ?? 0
    device.clock.error = (world.dice.chance(500) ? span : -span) * Int64(world.dice.roll(4))
    world.furthestClock = max(world.furthestClock, device.clock.error)
    world.log(device.name, "the clock is off by \(device.clock.error / 1000) s")
  }

  private func takeBackup(of device: SimDevice) {
    device.backup = device.machine.backup()
    device.promisesAtBackup = world.oracle.promises.count
    world.log(device.name, "backup")
  }

  private func restore(_ device: SimDevice) {
    guard let backup = device.backup else { return }
    device.machine.cutPower()
    device.machine.restore(backup)
    world.network.traffic.forget(device.name)
    world.oracle.restored(device.name, to: device.promisesAtBackup)
    world.hostileMember?.keptTodos.forget(device.name)
    world.log(device.name, "restored from its backup")
  }
}
