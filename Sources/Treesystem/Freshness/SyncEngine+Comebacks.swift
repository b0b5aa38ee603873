import CloudAPI
import Signing
import SwiftProtobuf

extension SyncEngine {
  /// Notes who may do more by the permissions that a server with another past shows than they could in the end of the one that was read
  /// here: whoever goes on with what the server has should know.
  func noteComebacks(to branch: FollowedBranch, _ connection: CloudConnection) async throws {
    guard try !branch.isTrunk || database.read({ try $0.trunk(of: branch.id) }) == .inbox else { return }
    let shown: [UnverifiedPermissions]
    do {
      let request = WirePermissionsRequest.with { $0.branch = data(branch.cloudID.bytes) }
      let history = try await connection.call(.permissions, request, answer: WirePermissionsHistory.self)
      shown = try history.records.map { try UnverifiedPermissions(SignedRecord($0)) }
    } catch is CloudFailure {
      return
    } catch is Refusal {
      return
    }
    try database.write { transaction in
      guard let last = try transaction.lastBelieved(of: shown, in: branch),
        let end = shown.firstIndex(where: { $0.hash == last.hash })
      else { return }
      let past = PastLetters.all(in: try transaction.permissionsHistory(of: branch.id))
      _ = try transaction.noteComebacks(
        to: branch.cloudID, by: last, in: shown[...end].map(\.body), since: past)
    }
  }
}

extension CloudTransaction {
  /// The newest of the records that a server shows which was read here, or that follows such a one by the hand of somebody who might sign it.
  fileprivate func lastBelieved(
    of shown: [UnverifiedPermissions], in branch: FollowedBranch
  ) throws -> UnverifiedPermissions? {
    var last: UnverifiedPermissions?
    for record in shown where record.body.branch == branch.cloudID {
      if try hasRead(record.hash, of: branch.id) {
        last = record
      } else if let before = last, try follows(before, record) {
        last = record
      }
    }
    return last
  }

  private func follows(_ before: UnverifiedPermissions, _ record: UnverifiedPermissions) throws -> Bool {
    let (body, author) = (record.body, record.body.author)
    guard body.previous == before.hash, body.owner == before.body.owner,
      before.body.letters(of: author.user).contains(.share), let keyring = try keyring(author.user),
      let device = keyring.device(author.device, at: min(author.keyringPosition, keyring.position))
    else { return false }
    return device.signKey.verifies(record.record.signature, PermissionsBody.domain, record.record.body)
  }
}
