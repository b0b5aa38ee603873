import CloudAPI
import Signing
import Synchronization

/// Which signatures were checked, and what came of it. What a request brings is checked here before it takes storage from anybody; `verify`
/// stays the one judge, and finds it done.
final class CheckedSignatures: Sendable {
  private struct Statement: Hashable {
    let key: PublicKey
    let signature: Signature
    /// Of what is signed, with its domain.
    let hash: [UInt8]
  }

  private struct State {
    var known = RecentlyUsed<Statement, Bool>(limit: ServerLimits.signatures)
    var checked = 0
  }

  private let state = Mutex(State())

  /// How many were checked so far, each time that they had to be.
  var checked: Int { state.withLock { $0.checked } }

  /// Whether a signature over a record's body is the key's.
  func verifies(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    verifies(key, signature, plain: domain.prefix + body)
  }

  /// The same of what is signed without a domain.
  func verifies(_ key: PublicKey, _ signature: Signature, plain message: [UInt8]) -> Bool {
    let statement = Statement(key: key, signature: signature, hash: sha256(message))
    if let isGood = state.withLock({ $0.known.value(for: statement) }) { return isGood }
    let isGood = key.verifies(signature, plain: message)
    state.withLock { state in
      state.known.keep(isGood, for: statement)
      state.checked += 1
    }
    return isGood
  }
}

extension Cloud {
  /// Checks the signatures of a batch. Nearly all are of the device that sends it; whose else they may be, the records say.
  func checkSignatures(of operations: [WireOperation], by caller: Caller, _ key: PublicKey) throws {
    var others: [(signer: Caller, domain: Domain, record: SignedRecord)] = []
    for operation in operations {
      guard let (domain, record) = operation.signed else { continue }
      if !memory.signatures.verifies(key, record.signature, domain, record.body),
        let author = operation.author, author.device != caller.device, author.user == caller.user
      {
        others.append((Caller(user: author.user, device: author.device), domain, record))
      }
      guard case .permissions = domain, let body = try? PermissionsBody(decoding: record.body),
        let transfer = body.transfer, let successor = try? OwnershipTransferBody(decoding: transfer.body)
      else { continue }
      let signer = Caller(user: successor.successor, device: successor.device)
      others.append((signer, OwnershipTransferBody.domain, transfer))
    }
    if others.isEmpty { return }
    let keys = try storage.read { storage in
      var keys: [Caller: PublicKey] = [:]
      for signer in Set(others.map(\.signer)) {
        keys[signer] = try storage.signer(signer.device, of: signer.user)?.signKey
      }
      return keys
    }
    for (signer, domain, record) in others {
      if let key = keys[signer] { _ = memory.signatures.verifies(key, record.signature, domain, record.body) }
    }
  }
}

extension WireOperation {
  /// Its record, and what that is signed as.
  fileprivate var signed: (Domain, SignedRecord)? {
    switch change {
    case .put(let put): (try? SignedRecord(put.header)).map { (HeaderBody.domain, $0) }
    case .copy(let copy): (try? SignedRecord(copy.header)).map { (HeaderBody.domain, $0) }
    case .delete(let delete): (try? SignedRecord(delete.tombstone)).map { (TombstoneBody.domain, $0) }
    case .permit(let permit): (try? SignedRecord(permit.permissions)).map { (PermissionsBody.domain, $0) }
    case nil: nil
    }
  }

  fileprivate var author: Author? {
    switch change {
    case .put(let put): try? HeaderBody(decoding: Array(put.header.body)).author
    case .copy(let copy): try? HeaderBody(decoding: Array(copy.header.body)).author
    case .delete(let delete): try? TombstoneBody(decoding: Array(delete.tombstone.body)).author
    case .permit(let permit): try? PermissionsBody(decoding: Array(permit.permissions.body)).author
    case nil: nil
    }
  }
}
