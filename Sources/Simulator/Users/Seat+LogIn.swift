import CloudAPI
import Sharing
import Treesystem

extension World {
  /// More devices than these make a seed slow and show nothing new.
  private static let deviceLimit = 5

  /// Somebody gets another computer, and signs in there.
  func buyDevice(for person: Human) {
    guard devices.count < Self.deviceLimit, isHostile else { return }
    let name = "\(person.handle)+\(devices.count)"
    let seat = Seat(self, addDevice(name, of: person, files: blank), number: 0)
    onNewSeat(seat)
  }
}

extension Seat {
  /// Tries to sign in, a few times. Returns whether it came to that.
  func logIn() async -> Bool {
    if world.dice.chance(500), await logInByApproval() { return true }
    for _ in 0..<5 {
      if let process = await running(), await signIn(process) { return true }
      if process?.isAlive == false { process = nil }
      await world.executor.sleep(Int64(world.dice.roll(10_000)))
    }
    return false
  }

  private func signIn(_ process: SimProcess) async -> Bool {
    guard let root = device.person.root else { return false }
    device.requests = 0
    do {
      try await process.session.logIn(root: root, handle: device.person.handle, server: "sim")
      log("logged in")
      // Nobody puts a profile back to what it was without the account.
      device.backup = nil
      return process.isAlive
    } catch TreeError.alreadySignedIn {
      return true
    } catch {
      if process.isAlive { expect(error, "logging in") }
      return false
    }
  }

  /// Whether this device belongs to an account. One that never signed in has nothing to say.
  func isSignedIn() async -> Bool {
    guard let process = await running() else { return true }
    return look(process) { try $0.account() != nil } ?? true
  }
}
