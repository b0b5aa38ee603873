import CloudAPI
public import Treesystem

/// Invitations that go with the device that sent them: whoever has not read one throws it away once that device has ended.
extension CloudTransaction {
  /// How many are on a branch by this device's doing, and have not answered.
  public func unansweredInvitations(to root: NodeID) throws -> Int {
    guard let account = try account(), let branch = try node(root)?.branch else { return 0 }
    let waiting = try members(of: root, history: true).filter {
      $0.hasJoined == false && !$0.hasDeclined && !$0.isLeaving
    }
    if waiting.isEmpty { return 0 }
    let history = try permissionsHistory(of: branch)
    return waiting.count { member in
      history.reversed().prefix { $0.entry(of: member.user) != nil }.last?.author.device == account.device
    }
  }
}
