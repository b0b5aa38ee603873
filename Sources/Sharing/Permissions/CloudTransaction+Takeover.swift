import CloudAPI
import Foundation
import GRDB
public import Signing
import SwiftProtobuf
public import Treesystem

/// A branch that this user has said to take over, and that may become theirs at any moment.
public struct Takeover: Hashable, Sendable {
  /// Whose it is until then.
  public let owner: UserID
  /// Until when they can hand it over, in milliseconds since 1970.
  public let expires: Int64
}

/// Between the word that a branch is taken over and the record that hands it over, it must not go from this user's tree: nobody could
/// find it again, nor end it. All of a user's devices know that word, for it lies in their outbox.
extension CloudTransaction {
  /// What this user has accepted to own and has not been handed yet. It ends with the record, with another word of the owner's, or once a
  /// sync has seen that its time is over.
  public func takeover(of branch: BranchID) throws -> Takeover? {
    guard let me = try account()?.user, let cloudID = try cloudID(of: branch),
      let body = try permissions(of: branch)?.body, body.owner != me, body.entry(of: me) != nil, !body.isClosed,
      try removal(from: branch) == nil
    else { return nil }
    let seen = try serverTime() - clock.now() + (lastSync() ?? 0)
    let open = try acceptances(of: cloudID, from: body.owner).map(\.transfer).filter { $0.expires >= seen }
    return open.map { Takeover(owner: $0.owner, expires: $0.expires) }.max { $0.expires < $1.expires }
  }

  /// Refuses what would take a branch off the tree that is about to become this user's.
  func requireNoTakeover(of branch: BranchID) throws {
    if try takeover(of: branch) != nil { throw ShareError.takingOver }
  }

  /// The owner has said something else since: what this user answered to the offer leads to nothing any more.
  func recallAcceptances(of cloudID: CloudID, from owner: UserID) throws {
    for acceptance in try acceptances(of: cloudID, from: owner) { try delete(acceptance.message) }
  }

  /// The words of this user's that they take a branch over from somebody, but for those that did it.
  private func acceptances(
    of cloudID: CloudID, from owner: UserID
  ) throws -> [(message: NodeID, transfer: OwnershipTransferBody)] {
    let used = try branch(cloudID).map { try permissionsHistory(of: $0).compactMap { $0.transfer?.body } } ?? []
    let rows = try Row.fetchCursor(db, sql: "SELECT node, message FROM outgoing")
    var found: [(NodeID, OwnershipTransferBody)] = []
    while let row = try rows.next() {
      let message = try SealedMessage(serializedBytes: row[1] as Data)
      guard case .acceptance(let acceptance)? = message.what, !used.contains(Array(acceptance.body)) else { continue }
      let transfer = try OwnershipTransferBody(decoding: Array(acceptance.body))
      if transfer.branch == cloudID, transfer.owner == owner { found.append((row[0], transfer)) }
    }
    return found
  }
}
