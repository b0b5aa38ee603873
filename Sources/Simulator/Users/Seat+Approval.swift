import CloudAPI
import Sharing
import Signing
import Treesystem

/// Signing in by approval from another device, as `todo login --approve` and `todo devices approve` do.
extension Seat {
  /// Asks to be added, and waits a while for somebody at another device. Returns whether it came to that.
  func logInByApproval() async -> Bool {
    device.asksToBeAdded = true
    defer { (device.asksToBeAdded, device.code) = (false, nil) }
    for _ in 0..<12 {
      if let process = await running(), await isAdded(process) { return true }
      if process?.isAlive == false { process = nil }
      await world.executor.sleep(Int64(world.dice.roll(6000)))
    }
    return false
  }

  private func isAdded(_ process: SimProcess) async -> Bool {
    do {
      switch try await process.session.askToLogIn(handle: device.person.handle, server: "sim", name: Oracle.marker) {
      case .asked: device.code = nil
      case .comparing(let code): device.code = code
      case .added:
        try await process.session.finishLogIn(server: "sim")
        log("was added")
        device.backup = nil
        return process.isAlive
      }
    } catch TreeError.alreadySignedIn {
      return true
    } catch LogInFailure.loginEnded, LogInFailure.notAdded, LogInFailure.tooManyLogins, LogInFailure.denied {
      // Denied is who was added and ended before they came up.
      log("asks again")
    } catch {
      if process.isAlive { expect(error, "asking to be added") }
    }
    return false
  }

  /// Adds a device of the same person's that shows the code which is here too. Returns whether anybody looked.
  func approveLogin(_ process: SimProcess) async -> Bool {
    let asking = world.devices.filter { $0.asksToBeAdded && $0.person === device.person }
    guard !asking.isEmpty, world.dice.chance(500) else { return false }
    device.requests = 0
    do {
      for login in try await process.session.logins() {
        guard case .comparing(_, _, let code) = login.state, let other = asking.first(where: { $0.code == code })
        else { continue }
        do {
          _ = try await process.session.approve(login.id, code: code)
          log("adds \(other.name)")
        } catch CloudFailure.refused(.deviceExists) where world.mayHaveEnded(other) {
          // Added from elsewhere and ended since: an account takes no device twice.
          log("adds \(other.name) no more")
        }
      }
    } catch DeviceFailure.noLogin, DeviceFailure.untrusted, DeviceFailure.tooOften {
      log("adds nobody")
    } catch {
      if process.isAlive { expect(error, "adding a device") }
    }
    return true
  }
}
