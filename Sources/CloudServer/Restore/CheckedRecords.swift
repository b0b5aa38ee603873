import CloudAPI
import Signing

/// The signatures of records that are given back.
enum CheckedRecords {
  /// Checks records, each at its line, by devices of these keyrings.
  static func check(
    _ rows: [UInt64: SignedRecord], at lines: [Line], by keyrings: [UserID: Keyring], _ signatures: CheckedSignatures
  ) {
    for line in lines {
      guard let record = rows[line.number], let (author, domain) = try? author(of: record, line.kind),
        let key = keyrings[author.user]?.devices[author.device]?.signKey
      else { continue }
      _ = signatures.verifies(key, record.signature, domain, record.body)
    }
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
