import CloudAPI
import Sharing
import Signing
import Treesystem

extension Seat {
  /// Ends another device of the same person's, as `todo devices revoke` does.
  func endDevice(_ process: SimProcess) async {
    if world.dice.chance(500) { await sync(process) }
    guard let devices = look(process, { try $0.devices() }),
      let other = world.dice.pick(devices.filter { !$0.isThisOne && $0.ended == nil })
    else { return }
    let name = world.devices.first { world.id(of: $0) == other.id }?.name ?? "a device that never came up"
    do {
      try await process.session.endDevice(other.id, withAdded: world.dice.chance(300))
      log(process.isAlive ? "ends \(name)" : "ends \(name): died")
      if process.isAlive, world.server.isUp, !world.server.hasEnded(other.id, of: device.person) {
        fail("\(self.name) ended \(name), and it goes on")
      }
    } catch DeviceFailure.tooOften {
      log("ends \(name): too often")
    } catch {
      if process.isAlive { expect(error, "ending a device") } else { log("ends \(name): died") }
    }
    if world.dice.chance(700), process.isAlive { await sync(process) }
  }
}

extension World {
  /// Who a device is in its account's keyring; nil for one that belongs to none yet.
  func id(of device: SimDevice) -> DeviceID? {
    if let id = device.id { return id }
    for program in device.programs.values {
      guard let program = program.value, program.isAlive else { continue }
      device.id = try? program.database.read { try $0.account()?.device }
      if let id = device.id { return id }
    }
    return nil
  }

  /// Whether a device's keyring says that it has ended; a server that died after it answered so cannot be asked.
  func mayHaveEnded(_ device: SimDevice) -> Bool { hasEnded(device) || !server.isUp }

  /// Whether a device's keyring says that it has ended.
  func hasEnded(_ device: SimDevice) -> Bool {
    id(of: device).map { server.hasEnded($0, of: device.person) } ?? false
  }
}
