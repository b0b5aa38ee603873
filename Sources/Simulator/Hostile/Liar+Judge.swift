import CloudAPI
import GRDB
import Lies
import Sharing
import Signing
import Treesystem

extension Liar {
  /// Holds what a sync came to against what the device was told: a report has to be one that a lie explains, and nothing that
  /// a lie says may be believed.
  func judge(_ report: SyncReport, of seat: Seat) {
    for (branch, reason) in report.troubles.sorted(by: { $0.key < $1.key }) {
      if reason == .branchDenied || reason.isPassing && world.isHostile { continue }
      if reason == .keyringStale, isSomebodysInbox(branch, seat) { continue }
      // A device that was ended meanwhile may write nowhere.
      if reason == .deviceUnknown, world.mayHaveEnded(seat.device) { continue }
      if !ledger.explains(.stops(reason), on: seat.device.name, of: branch) {
        world.fail("\(seat.name): a branch is in trouble that nobody lied about: \(reason)")
      }
    }
    guard let process = seat.process, process.isAlive else { return }
    inspect(process, seat)
  }

  /// Whoever ended a device of theirs has not given their inbox its new keys yet: what goes there waits.
  private func isSomebodysInbox(_ branch: CloudID, _ seat: Seat) -> Bool {
    guard let process = seat.process, process.isAlive else { return false }
    return seat.look(process) { try $0.branch(branch) == nil } ?? false
  }

  /// What a device had written that has ended since is not believed by whoever was kept until then from its keys or from the row.
  func isOfEndedDevice(_ row: Quarantined, _ branch: CloudID?, on device: String) -> Bool {
    guard row.reason == .deviceUnknown, let branch, world.devices.contains(where: world.hasEnded) else { return false }
    return [Refusal.keyringStale, .rowMissing].contains { ledger.explains(.setsAside($0), on: device, of: branch) }
  }

  /// Looks at what a device believes, what it set aside, and what it has found.
  func inspect(_ process: SimProcess, _ seat: Seat) {
    do {
      for lie in try honesty.lies(believedBy: process) { world.fail("\(seat.name) believes \(lie)") }
      try process.database.read { transaction in
        for row in try transaction.quarantined() {
          let branch = try transaction.cloudID(of: row.branch)
          if !ledger.explains(.setsAside(row.reason), on: seat.device.name, of: branch),
            !isOfEndedDevice(row, branch, on: seat.device.name)
          {
            world.fail("\(seat.name): what nobody lied about is in quarantine: \(row.words(branch))")
          }
        }
        for finding in try transaction.findings() where !ledger.wasTold(seat.device.name, of: finding.branch) {
          world.fail("\(seat.name): an honest server is accused: \(finding.kind) at line \(finding.line)")
        }
      }
    } catch {
      if process.isAlive { seat.expect(error, "looking") }
    }
  }

  /// Whether an error comes of a lie.
  func explains(_ error: any Error, on device: SimDevice) -> Bool {
    switch error {
    // A server that does not know a handle says that nothing is there.
    case LogInFailure.unknownHandle where explains(CloudFailure.refused(.notFound), on: device): true
    case let failure as CloudFailure: ledger.explains(.ends("\(failure)"), on: device.name, of: nil)
    case let failure as LogInFailure: ledger.explains(.ends("\(failure)"), on: device.name, of: nil)
    case let refusal as Refusal: ledger.explains(.refuses(refusal), on: device.name, of: nil)
    default: false
    }
  }
}

extension Quarantined {
  /// Which record, and why it is not believed.
  func words(_ branch: CloudID?) -> String { "\(reason) at line \(line) of \(branch.map { "\($0)".prefix(6) } ?? "?")" }
}
