import CloudAPI
import Signing

/// Signatures that were found good before anybody else had to wait for it: checking them is most of the work of giving lines back.
/// `verify` stays the one judge and asks here first.
struct CheckedRecords {
  private struct Statement: Hashable {
    let key: PublicKey
    let domain: Domain
    let body: [UInt8]
    let signature: Signature
  }

  private var good: Set<Statement> = []

  /// Checks records, each at its line, by devices of these keyrings.
  init(_ rows: [UInt64: SignedRecord], at lines: [Line], by keyrings: [UserID: Keyring]) {
    for line in lines {
      guard let record = rows[line.number], let (author, domain) = try? Self.author(of: record, line.kind),
        let key = keyrings[author.user]?.devices[author.device]?.signKey,
        key.verifies(record.signature, domain, record.body)
      else { continue }
      good.insert(Statement(key: key, domain: domain, body: record.body, signature: record.signature))
    }
  }

  func contains(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    good.contains(Statement(key: key, domain: domain, body: body, signature: signature))
  }

  /// Who says that they signed these records.
  static func authors(of rows: [UInt64: SignedRecord], at lines: [Line]) -> Set<UserID> {
    Set(lines.compactMap { line in rows[line.number].flatMap { try? author(of: $0, line.kind).author.user } })
  }

  private static func author(
    of record: SignedRecord, _ kind: Line.Kind
  ) throws -> (author: Author, domain: Domain) {
    switch kind {
    case .header: (try HeaderBody(decoding: record.body).author, HeaderBody.domain)
    case .tombstone: (try TombstoneBody(decoding: record.body).author, TombstoneBody.domain)
    case .permissions: (try PermissionsBody(decoding: record.body).author, PermissionsBody.domain)
    }
  }
}
