import CloudAPI
public import Treesystem

/// Invitations that go with the device that sent them: whoever has not read one throws it away once that device has ended.
extension CloudTransaction {
  /// Those whom this user invited to a branch, on whichever device, and who have not taken it.
  public func unanswered(at root: NodeID) throws -> [Member] {
    try members(of: root, history: true).filter { $0.hasJoined == false && !$0.isLeaving && $0.role != .owner }
  }

  /// How many are on a branch by this device's doing, and have not answered.
  public func unansweredInvitations(to root: NodeID) throws -> Int {
    guard let account = try account(), let branch = try node(root)?.branch else { return 0 }
    let waiting = try unanswered(at: root).filter { !$0.hasDeclined }
    if waiting.isEmpty { return 0 }
    let history = try permissionsHistory(of: branch)
    return waiting.count { member in
      history.reversed().prefix { $0.entry(of: member.user) != nil }.last?.author.device == account.device
    }
  }
}
