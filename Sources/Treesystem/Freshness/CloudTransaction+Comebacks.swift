import CloudAPI
import GRDB
public import Signing

extension CloudTransaction {
  /// Those who are back where they had been removed, or with more letters than they had.
  public func comebacks() throws -> [Comeback] {
    try Row.fetchAll(
      db, sql: "SELECT branch, user, letters, before, by, new, owner, queued, told FROM comebacks ORDER BY branch, user"
    ).map {
      Comeback(
        branch: $0[0], user: $0[1], letters: Self.letters($0[2]), before: Self.letters($0[3]), by: $0[4],
        isNew: $0[5], isOwner: $0[6], isQueued: $0[7], isTold: $0[8])
    }
  }

  /// Remembers that the user was told of all of them.
  public func noteComebacksTold() throws { try db.execute(sql: "UPDATE comebacks SET told = 1 WHERE told = 0") }

  /// Compares the letters that a record gives with those of a past. The owner's are the owner's, if they owned the branch in the past's end.
  /// Who is new there is not back, unless somebody gave them their letters who might not do that in the past's end.
  /// - Parameter history: the branch's records up to that one, the first first.
  func noteComebacks(
    to branch: CloudID, by record: UnverifiedPermissions, in history: [PermissionsBody],
    since past: [UserID: PastLetters]
  ) throws -> [Comeback] {
    let (owner, now) = (record.body.owner, PastLetters.all(in: history))
    let me = try account()?.user
    try db.execute(sql: "DELETE FROM comebacks WHERE branch = ? AND queued = 0", arguments: [branch])
    let unblocked = past.filter { $0.value.letters.isEmpty && record.body.entry(of: $0.key) == nil }.compactMap {
      user, known -> Comeback? in
      let letters = record.body.letters(of: user)
      return letters.isEmpty ? nil : Comeback(branch: branch, user: user, letters: letters, before: [], by: known.by)
    }
    let found =
      unblocked
      + record.body.entries.compactMap { entry -> Comeback? in
        guard let user = entry.user else { return nil }
        if user == owner {
          guard user != me, let known = past[user], !known.isOwner, past.values.contains(where: \.isOwner) else {
            return nil
          }
          return Comeback(
            branch: branch, user: user, letters: entry.letters, before: known.letters, by: known.by, isOwner: true)
        }
        if let known = past[user] {
          if known.letters.isSuperset(of: entry.letters) { return nil }
          return Comeback(branch: branch, user: user, letters: entry.letters, before: known.letters, by: known.by)
        }
        guard let by = now[user]?.by, by != owner, by != user,
          past[by]?.letters.contains(.share) != true
        else { return nil }
        return Comeback(branch: branch, user: user, letters: entry.letters, before: [], by: by, isNew: true)
      }
    for comeback in found {
      try db.execute(
        sql: """
          INSERT OR IGNORE INTO comebacks (branch, user, letters, before, by, new, owner, record)
          VALUES (?, ?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          branch, comeback.user, Int64(comeback.letters.rawValue), Int64(comeback.before.rawValue), comeback.by,
          comeback.isNew, comeback.isOwner, record.hash,
        ])
    }
    return found
  }

  /// Keeps of branches whose members changed who could do what, beyond the account's end on this device: a server that is set back, or was and
  /// has not been asked since, shows another past to the next one.
  func keepPasts() throws {
    guard let me = try account()?.user else { return }
    for device in try keyring(me)?.devices.values.filter({ $0.ended != nil }) ?? [] {
      try db.execute(
        sql: "INSERT OR IGNORE INTO past_devices (user, device) VALUES (?, ?)", arguments: [me, device.id])
    }
    let branches = try Row.fetchAll(
      db,
      sql: """
        SELECT b.id, b.cloud_id FROM branches b WHERE (b.trunk IS NULL OR b.trunk = 'inbox') AND b.cloud_id IS NOT NULL
          AND (SELECT count(*) FROM lines l WHERE l.branch = b.id AND l.kind = 3) > 1
        """)
    for row in branches {
      let (branch, cloudID): (BranchID, CloudID) = (row[0], row[1])
      guard let record = try permissions(of: branch) else { continue }
      try db.execute(
        sql: "INSERT OR REPLACE INTO pasts (branch, user, record) VALUES (?, ?, ?)",
        arguments: [cloudID, me, record.hash])
      for (user, past) in PastLetters.all(in: try permissionsHistory(of: branch)) {
        try db.execute(
          sql: "INSERT INTO past_letters (branch, user, letters, by, owner) VALUES (?, ?, ?, ?, ?)",
          arguments: [cloudID, user, Int64(past.letters.rawValue), past.by, past.isOwner])
      }
    }
    try db.execute(sql: "DELETE FROM comebacks")
  }

  /// Devices of this account that had been ended, and are among those that may sign by the keyring that the server has now.
  public func endedDevicesThatAreBack() throws -> [DeviceID] {
    guard let me = try account()?.user, let keyring = try keyring(me) else { return [] }
    let ended = try DeviceID.fetchAll(
      db, sql: "SELECT device FROM past_devices WHERE user = ? ORDER BY device", arguments: [me])
    return ended.filter { keyring.devices[$0].map { $0.ended == nil } ?? false }
  }

  /// Compares branches that are read again, by a new device, with what was kept of their past, and queues that nobody has more than they had.
  func comparePasts() throws {
    let pasts = try Row.fetchAll(
      db,
      sql: """
        SELECT b.id, p.branch, p.record FROM pasts p JOIN branches b ON b.cloud_id = p.branch
        WHERE b.line > 0 AND b.trouble IS NULL AND p.user = (SELECT user FROM account)
        """)
    for row in pasts {
      let (branch, cloudID, last): (BranchID, CloudID, Hash32) = (row[0], row[1], row[2])
      if try !hasRead(last, of: branch), let now = try permissions(of: branch) {
        let history = try permissionsHistory(of: branch)
        for comeback in try noteComebacks(to: cloudID, by: now, in: history, since: past(of: cloudID)) {
          try queueEnd(of: comeback, in: branch, now.body)
        }
      }
      try db.execute(sql: "DELETE FROM pasts WHERE branch = ?", arguments: [cloudID])
    }
  }

  private func past(of branch: CloudID) throws -> [UserID: PastLetters] {
    let rows = try Row.fetchAll(
      db, sql: "SELECT user, letters, by, owner FROM past_letters WHERE branch = ?", arguments: [branch])
    return Dictionary(
      rows.map { ($0[0] as UserID, PastLetters(letters: Self.letters($0[1]), by: $0[2], isOwner: $0[3])) },
      uniquingKeysWith: { first, _ in first })
  }

  private func queueEnd(of comeback: Comeback, in branch: BranchID, _ now: PermissionsBody) throws {
    let me = try requireAccount().user
    guard comeback.user != me, !comeback.isOwner, !now.isClosed, now.letters(of: me).contains(.share),
      try !permitOperations(of: branch).contains(where: { $0.user == comeback.user })
    else { return }
    // Letters that they had beside those are not given: only what they may do now is taken back to what they could do.
    try enqueue(
      .permit, branch: branch, node: nil, cloudID: comeback.branch, user: comeback.user,
      letters: comeback.before.intersection(comeback.letters), read: cursor(of: branch))
    try db.execute(
      sql: "UPDATE comebacks SET queued = 1 WHERE branch = ? AND user = ?",
      arguments: [comeback.branch, comeback.user])
  }

  /// Forgets those that are over: they have no more than before, or somebody who may share decided so after all.
  func forgetComebacks() throws {
    for row in try Row.fetchAll(db, sql: "SELECT branch, user, before, record, queued, told, owner FROM comebacks") {
      let (cloudID, user): (CloudID, UserID) = (row[0], row[1])
      let before: Letters? = row[6] ? nil : Self.letters(row[2])
      if try isOver(cloudID, user, before: before, record: row[3], isQueued: row[4], isTold: row[5]) {
        try db.execute(sql: "DELETE FROM comebacks WHERE branch = ? AND user = ?", arguments: [cloudID, user])
      }
    }
  }

  private func isOver(
    _ cloudID: CloudID, _ user: UserID, before: Letters?, record: Hash32, isQueued: Bool, isTold: Bool
  ) throws -> Bool {
    guard let branch = try branch(cloudID), let now = try permissions(of: branch) else { return true }
    if try forkedBranches().contains(branch) { return false }
    if isQueued {
      return try isTold && !permitOperations(of: branch).contains { $0.user == user }
    }
    guard let before else { return now.body.owner != user }
    let isDecided = now.hash != record && now.body.letters(of: now.body.author.user).contains(.share)
    return isDecided || before.isSuperset(of: now.body.letters(of: user))
  }

  private static func letters(_ column: Int64) -> Letters { Letters(rawValue: UInt32(truncatingIfNeeded: column)) }
}
