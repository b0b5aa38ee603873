public import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

extension CloudDatabase {
  /// Makes an account: a root, this device, the user key and the four trunks. Lists that are here already are uploaded later.
  ///
  /// What is sent is stored first, and sent again unchanged if the answer was lost.
  public func signUp(
    handle: String, server: String, token: String = "", over transport: any CloudTransport, authority: String
  ) async throws {
    let request = try prepareSignUp(handle: handle, server: server, token: token)
    let connection = CloudConnection(
      transport: transport, authority: authority, signer: nil, clock: clock, entropy: entropy)
    do {
      try await connection.call(.accounts, try WireSignUp(serializedBytes: request))
    } catch let failure as CloudFailure {
      // Only a definite no ends the attempt: after anything else the server may have said yes to the same bytes before.
      if case .refused(let reason) = failure, [.handleTaken, .signUpClosed, .tokenWrong, .malformed].contains(reason) {
        try write { try $0.abandonAccount() }
      }
      throw failure
    }
    try write { try $0.confirmSignUp() }
  }

  private func prepareSignUp(handle: String, server: String, token: String) throws -> [UInt8] {
    try write { transaction in
      guard try transaction.account() == nil else { throw TreeError.alreadySignedIn }
      let pending = try Row.fetchOne(transaction.db, sql: "SELECT handle, server, sign_up FROM account")
      if let pending, pending[0] == handle, pending[1] == server { return Array(pending[2] as Data) }
      if pending != nil { try transaction.abandonAccount() }
      let signUp = SignUp(handle: handle, entropy: entropy, now: clock.now())
      let request = signUp.request(token: token)
      try transaction.store(signUp, request, handle: handle, server: server)
      return request
    }
  }
}

extension CloudTransaction {
  fileprivate func store(_ signUp: SignUp, _ request: [UInt8], handle: String, server: String) throws {
    try db.execute(
      sql: """
        INSERT INTO account (id, user, handle, server, device, sign_seed, box_secret, root, sign_up)
        VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
      arguments: [
        signUp.root.userID, handle, server, signUp.device, signUp.signingKey.seed.column,
        signUp.deviceBox.secret.column, signUp.root.entropy.column, Data(request),
      ])
    try setUserKey(signUp.userKey)
    try extendKeyring(signUp.root.userID, with: signUp.keyring)
    for (trunk, record, body, key) in signUp.trunks {
      let branch = try trunkBranch(trunk)
      try adoptTrunk(trunk, of: signUp.root.userID, firstPermissions: record.hash)
      try setBranchKey(key.secret, of: branch, epoch: 1)
      try insertPermissions(record, body, line: 1, in: branch)
      let line = Line(number: 1, kind: .permissions, cloudID: key.branch, hash: record.hash)
      try append(line, to: branch, head: LogHead(startOf: key.branch).appending(line))
      // Made here: no page of it comes before another device writes.
      try setCaughtUp(branch)
    }
  }

  /// The trunks get their ids, which depend on the user.
  func adoptTrunk(_ trunk: Trunk, of user: UserID, firstPermissions: Hash32) throws {
    try db.execute(
      sql: "UPDATE branches SET cloud_id = ?, first_permissions = ? WHERE trunk = ?",
      arguments: [trunk.cloudID(of: user), firstPermissions, trunk.rawValue])
  }

  fileprivate func confirmSignUp() throws {
    try db.execute(sql: "UPDATE account SET sign_up = NULL")
    for trunk in Trunk.allCases {
      try queueDataUpload(forNodeID: self.trunk(trunk).id)
    }
  }

  /// The trunks are as before there was an account.
  func resetTrunks() throws {
    for table in [
      "lines", "permissions", "branch_keys", "node_states", "quarantine", "waiting", "owed", "relocations",
      "acknowledged", "provisional", "caught_up",
    ] {
      try db.execute(
        sql: "DELETE FROM \(table) WHERE branch IN (SELECT id FROM branches WHERE trunk IS NOT NULL)")
    }
    try db.execute(
      sql: """
        UPDATE branches SET cloud_id = NULL, first_permissions = NULL, line = 0, log_hash = NULL, trouble = NULL,
          trouble_since = NULL WHERE trunk IS NOT NULL
        """)
    try db.execute(
      sql: """
        UPDATE nodes SET name_key = NULL, node_key = NULL, author = NULL
        WHERE branch IN (SELECT id FROM branches WHERE trunk IS NOT NULL)
        """)
  }
}
