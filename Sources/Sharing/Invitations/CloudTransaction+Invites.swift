import CloudAPI
import GRDB
public import Signing
public import Treesystem

extension CloudTransaction {
  /// How long an invitation stands. Whoever finds it later asks for another.
  static let invitationLife: Int64 = 90 * 24 * 3600 * 1000

  /// Gives a user a role on a list and tells them with an invitation, which cannot arrive before the list is open to them.
  public func share(_ root: NodeID, with user: UserID, role: Role, title: String, note: String) throws {
    try share(root, with: user, letters: ShareItem(role: role).letters, title: title, note: note, answering: nil)
  }

  /// The same, for somebody who has proved that they have a code: the answer proves it back.
  func share(
    _ root: NodeID, with user: UserID, letters: Letters, title: String, note: String, answering code: InviteCode?
  ) throws {
    let operations = try recursiveAddShareItem(ShareItem(letters: letters), forUserID: user, nodeID: root)
    guard let branch = try node(root)?.branch, let cloudID = try cloudID(of: branch) else { throw TreeError.noSuchNode }
    var message = SealedMessage()
    message.invitation.branch = data(cloudID.bytes)
    message.invitation.title = title
    message.invitation.note = note
    message.invitation.letters = letters.rawValue
    message.invitation.expires = try UInt64(max(0, serverTime() + Self.invitationLife))
    if let code {
      message.invitation.code = data(code.id)
      message.invitation.codeProof = data(code.answer(by: try requireAccount().user, to: user, branch: cloudID))
    }
    if let permissions = try permissions(of: branch)?.body {
      message.invitation.owner = data(permissions.owner.bytes)
    } else {
      message.invitation.owner = data(try requireAccount().user.bytes)
    }
    try forgetDecline(of: cloudID, by: user)
    if try permissions(of: branch)?.body.entry(of: user) == nil {
      try forgetJoined(user, cloudID)
      if code == nil { try forgetUsedCode(user, cloudID) }
    }
    try sendMessage(message, toRecipients: [user], withDependencies: operations)
  }

  func receive(_ invitation: UnverifiedInvitation) throws {
    let fields = try invitation.verify()
    // One to a list that hangs here already, and was not left, has nothing to say, and a later one says what an earlier one said. Where nothing of the list
    // was believed, one that names another beginning may be the true one.
    if let branch = try branch(fields.branch), try hangs(branch), try !leftBranches().contains(branch),
      try !isUnread(branch) || firstPermissions(of: branch) == fields.firstPermissions
    {
      try acceptAnswer(invitation.wire, from: invitation.sender, branch: fields.branch)
      try delete(invitation.node.id)
      return try answerAgain(fields.branch, to: invitation.sender, branch)
    }
    // What was left is not taken over either.
    if try branch(fields.branch).map({ try leftBranches().contains($0) }) ?? false {
      try recallAcceptances(of: fields.branch, from: invitation.sender)
    }
    // Whoever gets another role is offered nothing any more. One that is read once more says nothing new.
    let isKnown = try Int.fetchOne(db, sql: "SELECT 1 FROM invites WHERE node = ?", arguments: [invitation.node.id])
    if isKnown == nil { try endInvites(to: fields.branch, from: invitation.sender, kind: "ownership") }
    let earlier = try NodeID.fetchOne(
      db,
      sql:
        "SELECT node FROM invites WHERE sender = ? AND branch = ? AND state = 'open' AND kind = 'list' AND node <> ?",
      arguments: [invitation.sender, fields.branch, invitation.node.id])
    try db.execute(
      sql: """
        INSERT INTO invites (node, sender, branch, first_permissions, title, note, letters, received, expires, owner)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (sender, branch, kind) WHERE state = 'open'
          DO UPDATE SET node = excluded.node, first_permissions = excluded.first_permissions,
            title = excluded.title, note = excluded.note, letters = excluded.letters, expires = excluded.expires,
            owner = excluded.owner
        """,
      arguments: [
        invitation.node.id, invitation.sender, fields.branch, fields.firstPermissions, invitation.wire.title.withoutNUL,
        invitation.wire.note.withoutNUL, Int64(fields.letters.rawValue), clock.now(),
        invitation.wire.expires == 0 ? nil : Int64(clamping: invitation.wire.expires),
        UserID(bytes: invitation.wire.owner),
      ])
    if let earlier { try delete(earlier) }
    try acceptAnswer(invitation.wire, from: invitation.sender, branch: fields.branch)
  }

  /// Somebody offers what this user has: they are on it again, or have another role.
  private func answerAgain(_ cloudID: CloudID, to sender: UserID, _ branch: BranchID) throws {
    // Whoever gets another role is offered nothing any more.
    try endInvites(to: cloudID, from: sender)
    try recallAcceptances(of: cloudID, from: sender)
    guard try permissions(of: branch)?.body.letters(of: sender).contains(.share) == true else { return }
    // Whoever could not let them in again does not make that unsaid.
    try forgetRemoval(from: cloudID)
    try tellJoined(cloudID, to: sender)
  }

  /// The invitations that wait for an answer.
  public func invites() throws -> [Invite] {
    // An offer to own what was not read yet waits for that.
    try invites("open").filter { try !$0.isOwnership || isStanding(offerOf: $0.branch, from: $0.sender) }
  }

  /// The invitations that were accepted, as far as their branch still hangs here; the latest last.
  public func acceptedInvites() throws -> [Invite] {
    try invites("accepted").filter { try branch($0.branch).map(hangs) ?? false }
  }

  /// What this user answered last of what was offered of a branch: how a list is called that they accepted and that nobody could read.
  public func answeredInvite(to branch: CloudID) throws -> Invite? {
    try (invites("declined") + invites("accepted")).last { $0.branch == branch && !$0.isOwnership }
  }

  private func invites(_ state: String) throws -> [Invite] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT number, sender, branch, title, note, letters, received, kind = 'ownership', expires,
          coalesce(owner, sender) = sender FROM invites
        WHERE state = ?1 AND (state <> 'open' OR coalesce(expires, ?2) >= ?2) AND (kind = 'list'
          OR EXISTS (SELECT 1 FROM nodes n JOIN branches b ON b.id = n.pointer WHERE b.cloud_id = invites.branch))
        ORDER BY number
        """, arguments: [state, serverTime()]
    ).map { row in
      let sender: UserID = row[1]
      let regard = try regard(for: sender)
      return Invite(
        number: row[0], sender: sender, senderName: try displayName(of: sender),
        isSenderVerified: regard.isVerified, isSenderOther: regard.isOther, branch: row[2], title: row[3],
        note: row[4], role: Role(Letters(rawValue: UInt32(row[5] as Int64)), isOwner: row[7]), received: row[6],
        isOwnership: row[7],
        expires: row[8], isSenderGone: try row[9] && hasDeletedAccount(sender))
    }
  }

  /// Accepts an invitation: the branch hangs in this user's home from now on, and is read at the next pull.
  @discardableResult
  public func graftInvite(_ number: Int, named alias: String? = nil) throws -> Node {
    guard
      let row = try Row.fetchOne(
        db,
        sql: "SELECT branch, first_permissions, kind, sender, expires FROM invites WHERE number = ? AND state = 'open'",
        arguments: [number])
    else { throw ShareError.noSuchInvite }
    let branch: CloudID = row[0]
    if row[2] == "ownership" {
      guard try isStanding(offerOf: branch, from: row[3]) else { throw ShareError.offerOver }
      // Whoever has left the list since has nothing to take over.
      guard let root = try self.branch(branch).flatMap({ try self.root(of: $0) }),
        let pointer = try pointer(to: root.id)
      else { throw ShareError.noSuchInvite }
      try acceptOwnership(of: branch, from: row[3], expires: row[4])
      try answer(number, "accepted")
      return pointer
    }
    if let expires = row[4] as Int64?, try expires < serverTime() { throw ShareError.expired }
    let pointer = try graftNode(
      withLocalPath: Treepath(.home, branch.description), remoteCloudID: branch, firstPermissions: row[1],
      alias: alias)
    // Whoever left, and comes back, has not left; and what they accepted of it before says nothing any more.
    try forgetRemoval(from: branch)
    try db.execute(
      sql: "UPDATE invites SET state = 'declined' WHERE branch = ? AND kind = 'list' AND state = 'accepted'",
      arguments: [branch])
    try answer(number, "accepted")
    try tellJoined(branch, to: row[3])
    return pointer
  }

  /// Declines an invitation, and says so to whoever sent it, unless they are blocked. The message goes; nothing enters the tree.
  public func declineInvite(_ number: Int) throws {
    guard let invite = try invites().first(where: { $0.number == number }) else { throw ShareError.noSuchInvite }
    try answer(number, "declined")
    // Who does not want the list will not own it.
    if !invite.isOwnership { try endInvites(to: invite.branch, from: invite.sender) }
    if try regard(for: invite.sender).isBlocked { return }
    var message = SealedMessage()
    message.decline.branch = data(invite.branch.bytes)
    try sendMessage(message, toRecipients: [invite.sender], withDependencies: [])
  }

  /// Ends the offers of lists that are read here and do not begin as those offers say: they are wrong.
  func endWrongInvites() throws {
    let wrong = try Int.fetchAll(
      db,
      sql: """
        SELECT i.number FROM invites i JOIN branches b ON b.cloud_id = i.branch
        WHERE i.state = 'open' AND i.kind = 'list' AND b.line > 0 AND b.first_permissions <> i.first_permissions
        """)
    for number in wrong { try answer(number, "declined") }
  }

  /// Ends what somebody offered of a branch: it can be accepted no more. What was accepted shows itself.
  /// - Parameter kind: which alone ends; nil: whatever it was.
  func endInvites(to branch: CloudID, from sender: UserID, kind: String? = nil) throws {
    let open = try Int.fetchAll(
      db,
      sql: "SELECT number FROM invites WHERE sender = ? AND branch = ? AND state = 'open' AND kind = coalesce(?, kind)",
      arguments: [sender, branch, kind])
    for number in open { try answer(number, "declined") }
  }

  /// Ends what somebody offered of a branch, or what others did while it was theirs, because they took it back.
  /// - Parameter isClosing: whether they say that it ends for everybody, which is theirs to do only while they own it.
  func endInvites(to branch: CloudID, withdrawnBy sender: UserID, isClosing: Bool) throws {
    try endInvites(to: branch, from: sender, kind: "ownership")
    let open = try Row.fetchAll(
      db,
      sql: """
        SELECT number, coalesce(owner, sender) = ?1 FROM invites
        WHERE branch = ?2 AND state = 'open' AND kind = 'list' AND ?1 IN (sender, owner)
        """, arguments: [sender, branch])
    for row in open {
      try answer(row[0], "declined")
      if isClosing, row[1] { try noteDeleted(row[0]) }
    }
  }

  /// Somebody does not want a list that was offered to them, or to own it. Returns its root, the first time they say so.
  func receive(
    _ decline: SealedDecline, from sender: UserID, in message: Node
  ) throws -> (root: Node, ofOwnership: Bool)? {
    guard let cloudID = CloudID(bytes: decline.branch) else {
      try delete(message.id)
      return nil
    }
    let root = try branch(cloudID).flatMap { try self.root(of: $0) }
    let offered = try Int.fetchOne(
      db, sql: "SELECT 1 FROM offers WHERE branch = ? AND successor = ?", arguments: [cloudID, sender])
    if offered != nil {
      try db.execute(sql: "DELETE FROM offers WHERE branch = ? AND successor = ?", arguments: [cloudID, sender])
      // Of somebody who has not taken the list, it is the list that they do not want.
      let hasJoined = try root.map { try members(of: $0.id, history: true) }?.first { $0.user == sender }?.hasJoined
      if hasJoined != false {
        try delete(message.id)
        return root.map { ($0, true) }
      }
    }
    let isRepeated = try declined(cloudID).contains(sender)
    // The message stays until they are invited again: this user's other devices are to read it too.
    try db.execute(
      sql: "INSERT OR REPLACE INTO declined (branch, user, node) VALUES (?, ?, ?)",
      arguments: [cloudID, sender, message.id])
    // Only of whom it was offered to it is anything new.
    guard !isRepeated, let root, try permissions(of: root.branch)?.body.entry(of: sender) != nil else { return nil }
    return (root, false)
  }

  private func forgetDecline(of branch: CloudID, by user: UserID) throws {
    let messages = try NodeID.fetchAll(
      db, sql: "SELECT node FROM declined WHERE branch = ? AND user = ?", arguments: [branch, user])
    for message in messages { try delete(message) }
  }

  /// Who declined a list, and has not been invited again since.
  public func declined(_ branch: CloudID) throws -> Set<UserID> {
    try UserID.fetchSet(db, sql: "SELECT user FROM declined WHERE branch = ?", arguments: [branch])
  }

  func answer(_ number: Int, _ state: String) throws {
    let message = try NodeID.fetchOne(db, sql: "SELECT node FROM invites WHERE number = ?", arguments: [number])
    try db.execute(sql: "UPDATE invites SET state = ? WHERE number = ?", arguments: [state, number])
    if let message { try delete(message) }
  }
}
