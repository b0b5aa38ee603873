import CloudAPI
import Signing
import SwiftProtobuf

/// A page as it came, parsed once and without the database. Nothing of it is believed yet.
struct IncomingPage: Sendable {
  let branch: [UInt8]
  let lines: [Line]
  /// By line.
  let rows: [UInt64: IncomingRow]
  /// The head that the server names.
  let headLine: UInt64
  let headHash: [UInt8]

  init(_ wire: WirePage) throws(Refusal) {
    branch = Array(wire.branch)
    headLine = try counter(wire.headLine)
    headHash = Array(wire.headHash)
    lines = try Line.decode(Array(wire.lines))
    let kinds = Dictionary(lines.map { ($0.number, $0.kind) }, uniquingKeysWith: { first, _ in first })
    var rows: [UInt64: IncomingRow] = [:]
    for row in wire.rows {
      guard let kind = kinds[row.line] else { throw .rowMismatch }
      rows[row.line] = try IncomingRow(row, kind)
    }
    self.rows = rows
  }

  /// The same place in the log, and nothing new.
  func emptied() throws(Refusal) -> IncomingPage {
    try IncomingPage(
      WirePage.with {
        $0.branch = data(branch)
        $0.headLine = headLine
        $0.headHash = data(headHash)
      })
  }

  /// Where the log stands after this page if its chain holds, which is judged later.
  func end(after cursor: LogHead) -> LogHead { lines.reduce(cursor) { $0.appending($1) } }

  /// Whose keyrings are needed to judge it, and up to which position.
  var citedKeyrings: [UserID: UInt32] {
    var cited: [UserID: UInt32] = [:]
    for row in rows.values {
      for (user, position) in row.citedKeyrings { cited[user] = max(cited[user] ?? 0, position) }
    }
    return cited
  }
}

/// One row of a page.
struct IncomingRow: Sendable {
  /// What the record is, by the kind of its line.
  enum Record: Sendable {
    case header(UnverifiedHeader)
    case tombstone(UnverifiedTombstone)
    case permissions(UnverifiedPermissions)
    case malformed(Refusal)
  }

  let wire: WireRow
  let signed: SignedRecord
  let record: Record

  /// Refuses what is no signed record at all; a body that cannot be read is a matter of the row.
  init(_ wire: WireRow, _ kind: Line.Kind) throws(Refusal) {
    self.wire = wire
    signed = try SignedRecord(wire.record)
    do {
      record =
        switch kind {
        case .header: .header(try UnverifiedHeader(signed))
        case .tombstone: .tombstone(try UnverifiedTombstone(signed))
        case .permissions: .permissions(try UnverifiedPermissions(signed))
        }
    } catch {
      record = .malformed(error)
    }
  }

  func asHeader() throws -> UnverifiedHeader {
    if case .header(let header) = record { return header }
    throw refusal
  }

  func asTombstone() throws -> UnverifiedTombstone {
    if case .tombstone(let tombstone) = record { return tombstone }
    throw refusal
  }

  func asPermissions() throws -> UnverifiedPermissions {
    if case .permissions(let permissions) = record { return permissions }
    throw refusal
  }

  private var refusal: Refusal { if case .malformed(let refusal) = record { refusal } else { .rowMismatch } }

  var hash: Hash32 {
    switch record {
    case .header(let header): header.hash
    case .tombstone(let tombstone): tombstone.hash
    case .permissions(let permissions): permissions.hash
    case .malformed: signed.hash
    }
  }

  /// Who claims to have signed it, and under which domain.
  var author: (author: Author, domain: Domain)? {
    switch record {
    case .header(let header): (header.body.author, HeaderBody.domain)
    case .tombstone(let tombstone): (tombstone.body.author, TombstoneBody.domain)
    case .permissions(let permissions): (permissions.body.author, PermissionsBody.domain)
    case .malformed: nil
    }
  }

  /// The branch that it claims to belong to.
  var branch: CloudID? {
    switch record {
    case .header(let header): header.body.branch
    case .tombstone(let tombstone): tombstone.body.branch
    case .permissions(let permissions): permissions.body.branch
    case .malformed: nil
    }
  }

  var isMessage: Bool { if case .header(let header) = record { header.body.recipient != nil } else { false } }

  fileprivate var citedKeyrings: [(UserID, UInt32)] {
    guard let author = author?.author else { return [] }
    var cited = [(author.user, author.keyringPosition)]
    if case .permissions(let permissions) = record {
      for entry in permissions.body.entries { if let user = entry.user { cited.append((user, entry.keyringPosition)) } }
      let transfer = permissions.body.transfer.flatMap { try? OwnershipTransferBody(decoding: $0.body) }
      if let transfer { cited.append((transfer.successor, transfer.keyringPosition)) }
    }
    return cited
  }
}
