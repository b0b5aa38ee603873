import CloudAPI
import Sharing
import TodoCore
import Treesystem

extension Session {
  /// Reads every list again that is not here as it should be, and says of each what came of it. Changes that wait to be
  /// sent stay.
  func fetchAgain() async throws -> [Check] {
    guard try read({ try $0.account() }) != nil else { return [] }
    let (ill, lists) = try read { (try $0.branchesToReadAgain(), try $0.lists()) }
    var checks: [Check] = []
    for branch in ill {
      let name = try lists.first { $0.branch == branch }?.name ?? read { try $0.nameOfOther(branch) }
      checks.append(try await fetchAgain(branch, name))
    }
    return checks
  }

  private func fetchAgain(_ branch: BranchID, _ name: String) async throws -> Check {
    if options.sync == false {
      return Check(
        "fetch", "\(name): not fetched again, since the server is left alone",
        .init(exit: .tryAgain, advice: ["without --no-sync: todo doctor --repair"], isMendable: true))
    }
    do {
      try await withCloud { try await $0.repull(branch) }
    } catch let failure as CloudFailure {
      return notFetched(name, Complaint(failure as any Error))
    } catch let refusal as Refusal {
      return notFetched(name, Complaint(refusal as any Error))
    } catch TreeError.notABranch {
      return Check("fetch", "\(name): is among your lists no more, and stays as it was read")
    }
    let left = try read { transaction in
      (try transaction.quarantined().count { $0.branch == branch }, try transaction.branchesToReadAgain())
    }
    guard left.1.contains(branch) else { return Check("fetch", "\(name): fetched again, and whole", isMended: true) }
    let rest = left.0 == 0 ? "something is still missing" : "\(counted(left.0, "change")) still not believed"
    return Check(
      "fetch", "\(name): fetched again, \(rest)",
      .init(exit: .notVerified, advice: ["see what, and why: todo status"]))
  }

  private func notFetched(_ name: String, _ complaint: Complaint) -> Check {
    Check(
      "fetch", "\(name): not fetched again, \(complaint.message)",
      .init(exit: complaint.exit, advice: [complaint.hint]))
  }
}
