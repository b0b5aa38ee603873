import CloudAPI
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// Leaves somebody's list: the list goes from this user's tree when the server has taken their letters away, and what they
  /// wrote until then is sent first. What they have read stays known to them.
  @discardableResult
  public func leave(_ root: NodeID) throws -> [CloudOperation] {
    var seen: Set<BranchID> = []
    return try leave(root, &seen)
  }

  /// - Parameter seen: the branches that were left on the way here.
  private func leave(_ root: NodeID, _ seen: inout Set<BranchID>) throws -> [CloudOperation] {
    let me = try requireAccount().user
    guard let node = try node(root), let cloudID = try cloudID(of: node.branch) else { throw TreeError.noSuchNode }
    guard node.trunk == nil, node.isBranchRoot else { throw TreeError.notABranch }
    guard let body = try permissions(of: node.branch)?.body, body.owner != me else { throw ShareError.ownerStays }
    seen.insert(node.branch)
    let puts = try operations().filter { $0.branch == node.branch && $0.kind != .permit }
    guard !puts.contains(where: { $0.state == .refused }) else { throw ShareError.unsentChanges }
    // Who was taken off already, or whose list was ended, has only to let go.
    if try body.isClosed || troubles().contains(where: { $0.branch == node.branch && $0.reason == .branchDenied }) {
      guard puts.isEmpty else { throw ShareError.unsentChanges }
      if let pointer = try pointer(to: root) { try letGo(of: pointer) }
      return []
    }
    var inner: [CloudOperation] = []
    for branch in try nestedBranches(in: node.branch) where !seen.contains(branch) {
      guard let below = try self.root(of: branch), try !isOwn(below, me) else { continue }
      inner += try leave(below.id, &seen)
    }
    if body.entry(of: me) == nil { return inner }
    // With the list goes what hangs in it from this device's tree, so that one is last.
    let own = try setIntent([], of: me, branch: node.branch, cloudID)
    try addDependencies(inner, to: own)
    try tellLeft(cloudID, once: own)
    return inner + [own]
  }

  /// Says to this user's other devices that they left, once they have: the record that does it is nothing that those may read.
  private func tellLeft(_ branch: CloudID, once left: CloudOperation) throws {
    let me = try requireAccount().user
    // Who leaves twice says it once.
    if try isSendingWithdrawal(of: branch, to: me) { return }
    var message = SealedMessage()
    message.withdrawal.branch = data(branch.bytes)
    try sendMessage(message, toRecipients: [me], withDependencies: [left])
  }

  private func isOwn(_ root: Node, _ me: UserID) throws -> Bool {
    try permissions(of: root.branch).map { $0.body.owner == me } ?? true
  }
}
