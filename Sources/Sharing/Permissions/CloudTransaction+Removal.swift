import CloudAPI
import GRDB
public import Signing
public import Treesystem

/// That a branch is not shared with this user any more.
public struct Removal: Hashable, Sendable {
  /// In milliseconds since 1970: when they were taken off by the clock of who did it, or when this device noticed, if that clock is ahead.
  public let since: Int64
  /// Who says that they did it, this user themselves where they left; nil where nobody does: then it is the server's word alone.
  public let by: UserID?
  /// Whether that was to end the branch for everybody.
  public var isDeletion = false
}

/// Being taken off a branch, or having left it. The record that does it is nothing that this user may read, but whoever signed it tells
/// them: where they left, it is they themselves who tell their other devices.
extension CloudTransaction {
  /// What is known of it; nil while the branch can be read.
  public func removal(from branch: BranchID) throws -> Removal? {
    guard let trouble = try troubles().first(where: { $0.branch == branch && $0.reason == .branchDenied }) else {
      return nil
    }
    let row = try Row.fetchOne(
      db, sql: "SELECT sender, sent, closed FROM withdrawn WHERE branch = ?", arguments: [cloudID(of: branch)])
    // Only who could have done it is believed.
    guard let row, let sender = row[0] as UserID?,
      try sender == account()?.user || permissions(of: branch)?.body.letters(of: sender).contains(.share) == true
    else { return Removal(since: trouble.since, by: nil) }
    // Who was let in again and taken off once more, and slept meanwhile, noticed it the first time.
    return Removal(since: row[1], by: sender, isDeletion: row[2])
  }

  /// Whoever offered a branch takes that back: it can be accepted no more. Whoever has it already is told that they are on it no more;
  /// returns its root then.
  func receive(
    _ withdrawal: SealedWithdrawal, from sender: UserID, sent: UInt64, in message: Node
  ) throws -> Node? {
    guard let cloudID = CloudID(bytes: withdrawal.branch) else {
      try delete(message.id)
      return nil
    }
    if try sender == account()?.user { return try receiveLeave(of: cloudID, by: sender, sent: sent, in: message) }
    try endInvites(to: cloudID, withdrawnBy: sender, isClosing: withdrawal.closed)
    guard let branch = try branch(cloudID), try hangs(branch) else {
      try delete(message.id)
      return nil
    }
    // Only who could have done it is believed: what another says takes the place of nothing.
    guard let known = try permissions(of: branch)?.body else {
      // Nobody can tell here: whichever is the wrong one, another device of this user's throws it away.
      if try hasRemoval(from: cloudID, besides: message) { return nil }
      try note(message, from: sender, sent: sent, of: cloudID, isClosing: withdrawal.closed)
      return try removal(from: branch) == nil ? nil : root(of: branch)
    }
    guard known.letters(of: sender).contains(.share) else {
      try delete(message.id)
      return nil
    }
    if try hasRemoval(from: cloudID, besides: message) { try forgetRemoval(from: cloudID) }
    // Only its owner ends a branch: of anybody else it is a removal.
    let isClosing = withdrawal.closed && sender == known.owner
    try note(message, from: sender, sent: sent, of: cloudID, isClosing: isClosing)
    return try removal(from: branch) == nil ? nil : root(of: branch)
  }

  /// This user has left a branch. It stays when the branch is gone from here: another device may have it in view yet.
  private func receiveLeave(
    of cloudID: CloudID, by me: UserID, sent: UInt64, in message: Node
  ) throws -> Node? {
    // Whoever says that they took this user off was faster.
    if try hasRemoval(from: cloudID, besides: message) {
      try delete(message.id)
      return nil
    }
    try note(message, from: me, sent: sent, of: cloudID, isClosing: false)
    guard let branch = try branch(cloudID), try removal(from: branch) != nil else { return nil }
    return try root(of: branch)
  }

  /// Whether another message says it; an inbox may be read again, and has the same one in it.
  private func hasRemoval(from branch: CloudID, besides message: Node) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM withdrawn WHERE branch = ? AND node <> ?", arguments: [branch, message.id]) != nil
  }

  private func note(
    _ message: Node, from sender: UserID, sent: UInt64, of branch: CloudID, isClosing: Bool
  ) throws {
    // It stays as long as the list does: this user's other devices are to read it too.
    try db.execute(
      sql: "INSERT OR REPLACE INTO withdrawn (branch, sender, sent, node, closed) VALUES (?, ?, ?, ?, ?)",
      arguments: [branch, sender, min(Int64(clamping: sent), clock.now()), message.id, isClosing])
  }

  /// They are on it again, or have let go of it.
  func forgetRemoval(from branch: CloudID) throws {
    let message = try NodeID.fetchOne(db, sql: "SELECT node FROM withdrawn WHERE branch = ?", arguments: [branch])
    if let message { try delete(message) }
  }

  /// Lets go of a branch that hangs here, and of what was said about it.
  /// - Throws: `ShareError.takingOver` for one that is about to become this user's: nobody could end it any more.
  public func letGo(of pointer: Node) throws {
    if let branch = pointer.pointer { try requireNoTakeover(of: branch) }
    if let branch = try pointer.pointer.flatMap({ try cloudID(of: $0) }) { try forgetRemoval(from: branch) }
    try delete(pointer.id)
  }
}
