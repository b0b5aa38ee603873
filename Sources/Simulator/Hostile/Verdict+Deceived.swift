import CloudAPI
import GRDB
import Lies
import Sharing
import Signing
import Treesystem

extension Verdict {
  /// One device that was lied to, when the server is honest and all was mended: it is as any other, or it says of which list it
  /// has read another past.
  func judgeDeceived(_ seat: Seat) {
    guard let liar = world.liar else { return }
    let device = seat.device.name
    let isDeaf = usersWithForkedInboxes()
    seen(seat) { transaction in
      var forked: Set<BranchID> = []
      for trouble in try transaction.troubles() where trouble.reason != .branchDenied {
        let branch = try transaction.cloudID(of: trouble.branch)
        guard trouble.reason == .fork, let branch, liar.ledger.mayHaveForked(device, branch) else {
          world.fail("\(seat.name): an honest branch is in trouble: \(trouble.reason)")
          continue
        }
        forked.insert(trouble.branch)
        guard try transaction.findings().contains(where: { $0.branch == branch }) else {
          world.fail("\(seat.name): a fork is told without saying where")
          continue
        }
      }
      world.forks += forked.count
      for operation in try transaction.operations()
      where try !isExpected(operation, transaction) && !waits(operation, forked, transaction)
        && !(operation.kind == .copy && operation.user.map(isDeaf.contains) ?? false)
      {
        let reason = operation.reason.map { "\($0)" } ?? ""
        let branch = try transaction.cloudID(of: operation.branch).map { "\($0)".prefix(6) } ?? ""
        world.fail("\(seat.name): a change waits for ever: \(operation.kind) \(operation.state) \(reason) in \(branch)")
      }
      // Of what one was taken off nothing can be read again.
      let closed = forked.union(try transaction.troubles().filter { $0.reason == .branchDenied }.map(\.branch))
      for row in try transaction.quarantined() where !closed.contains(row.branch) {
        let branch = try transaction.cloudID(of: row.branch)
        if liar.isOfEndedDevice(row, branch, on: device) { continue }
        world.fail("\(seat.name): an honest record is in quarantine: \(row.words(branch))")
      }
      for problem in try String.fetchAll(transaction.db, sql: "PRAGMA quick_check") where problem != "ok" {
        world.fail("\(seat.name): the database is damaged: \(problem)")
      }
    }
  }

  /// Whether a change is on a branch that is in trouble, or needs one that is.
  private func waits(
    _ operation: QueuedOperation, _ forked: Set<BranchID>, _ transaction: CloudTransaction
  ) throws -> Bool {
    let inTrouble = forked.union(try transaction.troubles().map(\.branch))
    let needed = try Int64.fetchAll(
      transaction.db,
      sql: """
        \(Self.needed)
        SELECT branch FROM needed JOIN operations USING (sequence)
        UNION SELECT n.pointer FROM needed JOIN operations o USING (sequence) JOIN nodes n ON n.id = o.node
          WHERE n.pointer IS NOT NULL
        """, arguments: [operation.sequence])
    return !inTrouble.isDisjoint(with: needed.map { BranchID(rawValue: $0) })
  }

  /// Who has another past of their own inbox, and cannot give it a new key: what is sent to them waits for that.
  private func usersWithForkedInboxes() -> Set<UserID> {
    var users: Set<UserID> = []
    for seat in seats {
      seen(seat) { transaction in
        guard let user = try transaction.account()?.user else { return }
        let inbox = try transaction.branch(Trunk.inbox.cloudID(of: user))
        let isForked = try transaction.troubles().contains { $0.branch == inbox && $0.reason == .fork }
        if isForked { users.insert(user) }
      }
    }
    return users
  }
}
