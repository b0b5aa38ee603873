import CloudAPI
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// Ends a branch of this user's for everybody who shares it, and the branches of theirs below it. It goes from their tree when the
  /// server has confirmed it; the others keep what they have, and write there no more.
  @discardableResult
  public func close(_ root: NodeID) throws -> [CloudOperation] {
    var seen: Set<BranchID> = []
    return try close(root, &seen)
  }

  /// - Parameter seen: the branches that were ended on the way here.
  private func close(_ root: NodeID, _ seen: inout Set<BranchID>) throws -> [CloudOperation] {
    let me = try requireAccount().user
    guard let node = try node(root), node.trunk == nil, node.isBranchRoot else { throw TreeError.notABranch }
    guard let body = try permissions(of: node.branch)?.body, body.owner == me else { throw ShareError.notOwner }
    guard !body.isClosed else { throw ShareError.closed }
    guard try !operations().contains(where: { $0.branch == node.branch && !$0.closes }) else {
      throw ShareError.unsentChanges
    }
    seen.insert(node.branch)
    var inner: [CloudOperation] = []
    for branch in try nestedBranches(in: node.branch) where !seen.contains(branch) {
      guard try permissions(of: branch)?.body.owner == me, let below = try self.root(of: branch) else { continue }
      inner += try close(below.id, &seen)
    }
    // With the branch goes what hangs in it from this device's tree, so that one is last.
    let own = try queueClosing(of: node.branch)
    try addDependencies(inner, to: own)
    return inner + [own]
  }
}
