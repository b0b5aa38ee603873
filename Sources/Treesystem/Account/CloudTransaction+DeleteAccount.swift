import CloudAPI
import GRDB
import Signing

extension CloudTransaction {
  /// The keyring entry that deletes this account; nil if it is deleted.
  func entriesDeletingAccount() throws -> [SignedRecord]? {
    guard let keyring = try keyring(requireAccount().user) else { throw DeviceFailure.unknown }
    if keyring.deleted != nil { return nil }
    let identity = try identity()
    var chain = KeyringChain(after: keyring, now: clock.now())
    chain.append(.deleteAccount, signedBy: identity.signingKey, signer: identity.device)
    try DeviceFailure.checkingRoom {
      var after = keyring
      try after.append(chain.records)
    }
    return chain.records
  }

  /// Names the account's server anew.
  func setServer(_ server: String) throws {
    try db.execute(sql: "UPDATE account SET server = ?", arguments: [server])
    try noteReached()
  }
}
