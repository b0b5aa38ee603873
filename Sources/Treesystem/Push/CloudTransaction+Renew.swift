import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing

/// New permissions for the same people: where somebody's device was ended, or somebody left, whoever may write gives the
/// branch a new key.
extension CloudTransaction {
  /// Has the next sync look whether a branch needs new permissions.
  func noteRenewal(of branch: BranchID) throws {
    try db.execute(sql: "UPDATE branches SET renewal = 1 WHERE id = ?", arguments: [branch])
  }

  /// The same for all branches, because somebody's keys have changed.
  func noteRenewals() throws { try db.execute(sql: "UPDATE branches SET renewal = 1") }

  func queueRenewals() throws {
    guard let me = try account()?.user, !Defect.renewalForgotten.isPlanted else { return }
    for branch in try BranchID.fetchAll(
      db, sql: "SELECT id FROM branches WHERE renewal = 1 AND trouble IS NOT 'branch-denied'")
    {
      // What is on its way was sealed for the keys of then: when its answer is here, this is looked at again.
      guard let body = try permissions(of: branch)?.body, try !isEnding(branch),
        try !permitOperations(of: branch).contains(where: { $0.isRenewal && $0.state == .sealed })
      else { continue }
      try db.execute(sql: "UPDATE branches SET renewal = 0 WHERE id = ?", arguments: [branch])
      guard !body.isClosed, body.letters(of: me).isSuperset(of: [.read, .write]), try !hasRenewal(of: branch),
        let user = try outdated(in: body, of: branch).first
      else { continue }
      try enqueue(.permit, branch: branch, node: nil, cloudID: body.branch, user: user)
    }
  }

  /// Whether new permissions for the same people wait, or are on their way.
  func hasRenewal(of branch: BranchID) throws -> Bool {
    try permitOperations(of: branch).contains { $0.isRenewal && $0.state != .refused }
  }

  /// Whether this user sends nothing of a branch any more but the record by which they leave or end it: a new key would be for nothing.
  private func isEnding(_ branch: BranchID) throws -> Bool {
    guard let last = try permitOperations(of: branch).first(where: { try isLast($0) && $0.state != .refused }) else {
      return false
    }
    return try last.state == .sealed || !isWritten(branch)
  }

  /// The people for whose sake a branch needs new permissions.
  func outdated(in body: PermissionsBody, of branch: BranchID) throws -> [UserID] {
    let left = try readersWhoLeft(branch, body)
    let isMine = try isLockedOut(of: branch, body) || hidesOlderKeys(of: branch, body)
    let lockedOut = isMine ? try [requireAccount().user] : []
    return try left + lockedOut + othersLockedOut(of: branch, body)
      + body.entries.compactMap { entry in
        // Whoever is refused is so with every device.
        guard let user = entry.user, !entry.letters.isEmpty, let keyring = try keyring(user) else { return nil }
        return keyring.hasChanged(since: entry) ? user : nil
      }
  }

  /// Whether what was sealed to a key of this user's is not the branch's: whoever signed that keeps others from reading, and the next
  /// record begins another epoch.
  func isLockedOut(of branch: BranchID, _ body: PermissionsBody) throws -> Bool {
    guard let me = try account()?.user, let entry = body.entry(of: me), entry.letters.contains(.read),
      try userKey(generation: entry.generation) != nil
    else { return false }
    return try branchKey(of: branch, epoch: body.epoch) == nil
  }

  /// The others who may read and were given something else than the branch's key: whoever may only read cannot help themselves.
  func othersLockedOut(of branch: BranchID, _ body: PermissionsBody) throws -> [UserID] {
    let me = try account()?.user
    guard body.entries.contains(where: { $0.user != me && $0.letters.contains(.read) }),
      let secret = try branchKey(of: branch, epoch: body.epoch)
    else { return [] }
    let key = BranchKey(branch: body.branch, epoch: body.epoch, secret: secret)
    guard key.commitment == body.commitment else { return [] }
    return try body.entries.compactMap { entry -> UserID? in
      guard let user = entry.user, user != me, entry.letters.contains(.read),
        let generation = try keyring(user)?.generation(at: entry.keyringPosition)
      else { return nil }
      return key.box(for: user, generation.publicKey) == entry.sealedKey ? nil : user
    }
  }

  /// Whether an older key that is known here does not follow from the one in force: whoever is added later could not read what it opens.
  func hidesOlderKeys(of branch: BranchID, _ body: PermissionsBody) throws -> Bool {
    guard body.epoch > 1, let secret = try branchKey(of: branch, epoch: body.epoch) else { return false }
    let key = BranchKey(branch: body.branch, epoch: body.epoch, secret: secret)
    return try key.commitment == body.commitment && !KeyChain(transaction: self, branch: branch).hidden().isEmpty
  }

  /// Those who had the present key and are not among the readers any more: they left, which needs no letter and changes no key.
  func readersWhoLeft(_ branch: BranchID, _ body: PermissionsBody) throws -> [UserID] {
    let records = try Row.fetchCursor(
      db, sql: "SELECT record FROM permissions WHERE branch = ? ORDER BY version DESC", arguments: [branch])
    var left: Set<UserID> = []
    while let row = try records.next() {
      let earlier = try PermissionsBody(decoding: SignedRecord(encoded: Array(row[0] as Data)).body)
      if earlier.epoch != body.epoch { break }
      left.formUnion(earlier.readers)
    }
    return left.subtracting(body.readers).sorted()
  }
}

extension PermissionsBody {
  var readers: [UserID] { entries.filter { $0.letters.contains(.read) }.compactMap(\.user) }
}

extension Keyring {
  /// Whether a branch key has to be sealed anew to somebody, or a device of theirs was ended since.
  func hasChanged(since entry: PermissionsEntry) -> Bool {
    hasNewKey(since: entry)
      || devices.values.contains { $0.isActive(at: entry.keyringPosition) && !$0.isActive(at: position) }
  }

  /// Whether somebody else may have the key that the branch key is sealed to.
  func hasNewKey(since entry: PermissionsEntry) -> Bool {
    entry.letters.contains(.read) && generation(at: position)?.number != entry.generation
  }
}

extension CloudTransaction {
  /// Whether a member is none any more who was one when a change of their letters was queued, or became one since: a profile that came
  /// back from a backup has what it once wanted, and not what became of that.
  func hasLost(_ user: UserID, since operation: QueuedOperation) throws -> Bool {
    guard let read = operation.read, try permissions(of: operation.branch)?.body.entry(of: user) == nil else {
      return false
    }
    let records = try Data.fetchAll(
      db,
      sql: """
        SELECT record FROM permissions WHERE branch = ?1 AND version >= coalesce(
          (SELECT max(version) FROM permissions WHERE branch = ?1 AND line <= ?2), 1)
        """, arguments: [operation.branch, Int64(read.line)])
    return try records.contains {
      try PermissionsBody(decoding: SignedRecord(encoded: Array($0)).body).entry(of: user) != nil
    }
  }

  /// Whether this user is leaving a branch, and the server has not confirmed it.
  public func isLeaving(_ branch: BranchID) throws -> Bool {
    try permitOperations(of: branch).contains { try $0.state != .refused && isLeave($0) }
  }

  /// Takes a branch off this user's tree that they have left or ended: nothing leads there any more. What was written there since stays
  /// in view, until this user has decided about it.
  func takeOffTree(_ branch: BranchID, telling app: any TreesystemDelegate) throws {
    // What hangs in a branch of others is theirs to take away.
    guard try !isWritten(branch), let root = try root(of: branch), let pointer = try pointer(to: root.id),
      pointer.trunk != nil
    else { return }
    _ = try app.receive(.deleted(pointer), in: self)
    try queueDeletion(of: pointer)
  }

  /// Whoever was removed while they were leaving is gone all the same.
  func finishLeaving(_ branch: BranchID, telling app: any TreesystemDelegate) throws {
    let operations = try permitOperations(of: branch)
    guard let leave = try operations.first(where: { try isLeave($0) }), leave.state != .sealed else { return }
    try takeOffTree(branch, telling: app)
    // One that is nested goes with the branch around it, which is left once this one is.
    guard try hangsInOthers(branch), try !isWritten(branch) else { return }
    try db.execute(sql: "DELETE FROM operations WHERE sequence = ?", arguments: [leave.sequence])
  }

  private func hangsInOthers(_ branch: BranchID) throws -> Bool {
    try root(of: branch).flatMap { try pointer(to: $0.id) }.map { $0.trunk == nil } ?? false
  }

  /// Whether anything that was written in a branch is not confirmed, what was refused too: it is its author's to decide about.
  func isWritten(_ branch: BranchID) throws -> Bool {
    try Int.fetchOne(
      db, sql: "SELECT 1 FROM operations WHERE branch = ? AND kind IN ('put', 'delete') LIMIT 1", arguments: [branch])
      != nil
  }

  /// Whether it is the last that this user sends of a branch: they leave it, or end it for everybody.
  func isLast(_ operation: QueuedOperation) throws -> Bool { try operation.closes || isLeave(operation) }

  /// Whether this user takes their own letters away.
  public func isLeave(_ operation: QueuedOperation) throws -> Bool {
    guard operation.kind == .permit, operation.letters == [], let user = operation.user else { return false }
    return try user == account()?.user
  }
}

extension QueuedOperation {
  /// New permissions for the same people.
  public var isRenewal: Bool { kind == .permit && user != nil && letters == nil }
}
