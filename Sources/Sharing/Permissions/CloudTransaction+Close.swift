import CloudAPI
import GRDB
import Signing
public import Treesystem

extension CloudTransaction {
  /// Ends a branch of this user's for everybody who shares it, and the branches of theirs below it. It goes from their tree when the
  /// server has confirmed it; the others keep what they have, and write there no more. Whoever was invited and has not answered is taken off first, and
  /// told; codes of this device's let nobody in any more.
  @discardableResult
  public func close(_ root: NodeID) throws -> [CloudOperation] {
    var seen: Set<BranchID> = []
    try requireClosable(root, &seen)
    seen = []
    return try close(root, &seen)
  }

  /// - Parameter seen: the branches that were looked at on the way here.
  private func requireClosable(_ root: NodeID, _ seen: inout Set<BranchID>) throws {
    let me = try requireAccount().user
    guard let node = try node(root), node.trunk == nil, node.isBranchRoot else { throw TreeError.notABranch }
    try requireNoTakeover(of: node.branch)
    guard let body = try permissions(of: node.branch)?.body, body.owner == me else { throw ShareError.notOwner }
    guard !body.isClosed else { throw ShareError.closed }
    guard try !operations().contains(where: { $0.branch == node.branch && !$0.closes }) else {
      throw ShareError.unsentChanges
    }
    seen.insert(node.branch)
    for below in try ownBranches(in: node.branch, seen) { try requireClosable(below, &seen) }
  }

  /// The roots of this user's branches that hang in another one, without those that were seen.
  private func ownBranches(in branch: BranchID, _ seen: Set<BranchID>) throws -> [NodeID] {
    let me = try requireAccount().user
    return try nestedBranches(in: branch).filter { !seen.contains($0) }.compactMap { below in
      try permissions(of: below)?.body.owner == me ? root(of: below)?.id : nil
    }
  }

  /// - Parameter seen: the branches that were ended on the way here.
  private func close(_ root: NodeID, _ seen: inout Set<BranchID>) throws -> [CloudOperation] {
    guard let branch = try node(root)?.branch, let cloudID = try cloudID(of: branch) else { throw TreeError.noSuchNode }
    seen.insert(branch)
    try withdrawCodes(for: cloudID)
    let invited = try unanswered(at: root).map(\.user)
    var earlier = try invited.flatMap { try takeOff(root, $0) }
    for below in try ownBranches(in: branch, seen) where try node(below).map({ !seen.contains($0.branch) }) == true {
      earlier += try close(below, &seen)
    }
    // With the branch goes what hangs in it from this device's tree, so that one is last.
    let own = try queueClosing(of: branch)
    try addDependencies(earlier, to: own)
    // Nobody is told of an end that did not come about.
    for user in invited { try tellWithdrawn(cloudID, to: user, isClosing: true, once: [own]) }
    return earlier + [own]
  }
}
