import CloudAPI
import Sharing
import Signing
import Treesystem

/// What people do when the server is honest again: `todo retry` and `todo doctor --repair` on every device.
struct Mending {
  let world: World
  let seats: [Seat]

  func mend() async {
    for seat in seats {
      guard let process = await seat.running() else { continue }
      seat.retry(process)
      let ill = seat.look(process) { transaction in
        try transaction.branchesToReadAgain().map { ($0, try transaction.cloudID(of: $0)) }
      }
      for (branch, cloudID) in ill ?? [] { await readAgain(branch, cloudID, seat, process) }
    }
  }

  /// Whether a device says that something is not there as it should be, and can be repaired.
  func isNeeded() -> Bool {
    seats.contains { seat in
      guard let process = seat.process else { return false }
      return seat.look(process) { try !$0.branchesToReadAgain().isEmpty } ?? false
    }
  }

  /// Reads a branch again, as `todo doctor --repair` does. Where another past was read, the server has nothing that continues it.
  private func readAgain(_ branch: BranchID, _ cloudID: CloudID?, _ seat: Seat, _ process: SimProcess) async {
    seat.device.requests = 0
    do {
      try await process.session.repull(branch)
      seat.log("reads \(branch.rawValue) again")
    } catch TreeError.notABranch {
      seat.log("does not have \(branch.rawValue) any more")
    } catch {
      seat.log("cannot read \(branch.rawValue) again: \(error)")
      guard let cloudID, world.liar?.ledger.mayHaveForked(seat.device.name, cloudID) == true else {
        return world.fail("\(seat.name) cannot read a branch again of an honest server: \(error)")
      }
    }
  }
}
