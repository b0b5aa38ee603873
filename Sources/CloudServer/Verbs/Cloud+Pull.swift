import CloudAPI
import Signing
import SwiftProtobuf

extension Cloud {
  /// The lines after a cursor, and the rows that they name as far as no later line superseded them (spec §4.3).
  func pull(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    let message = try decode(WirePullRequest.self, request.body)
    let branch: CloudID = try fixed(message.branch)
    let after = try LogHead(told: message.afterLine, message.afterHash)
    let limit = message.limit == 0 ? Limits.pageLines : Int(min(message.limit, UInt32(Limits.pageLines)))
    hub.note([branch], askedBy: caller.user)
    return try storage.read { storage in
      guard try storage.letters(of: caller.user, on: branch).contains(.read), let head = try storage.head(of: branch)
      else { throw Refusal.letterMissing }
      guard after.line <= head.line, try storage.logHash(of: branch, at: after.line) == after.hash else {
        throw Refusal.fork
      }
      var page = try Self.page(of: branch, after: after.line, limit: limit, in: storage)
      page.headLine = head.line
      page.headHash = data(head.hash.bytes)
      return answer(page)
    }
  }

  /// As many lines as fit with their rows, and at least one.
  private static func page(
    of branch: CloudID, after: UInt64, limit: Int, in storage: any CloudStorageReader
  ) throws -> WirePage {
    var page = WirePage()
    page.branch = data(branch.bytes)
    var lines: [UInt8] = []
    var bytes = 0
    for line in try storage.lines(of: branch, after: after, limit: limit) {
      let row = try row(of: line, in: branch, storage)
      if let row {
        bytes += row.size
        guard bytes <= Limits.pageBytes || lines.isEmpty else { break }
        page.rows.append(row)
      }
      lines += line.encoded
    }
    page.lines = data(lines)
    return page
  }

  private static func row(of line: Line, in branch: CloudID, _ storage: any CloudStorageReader) throws -> WireRow? {
    var row = WireRow()
    row.line = line.number
    if line.kind == .permissions {
      guard let record = try storage.permissions(of: branch, named: line.hash) else { throw StorageFailure.damaged }
      row.record = record.wire
    } else {
      guard let node = try storage.node(at: line.number, of: branch) else { return nil }
      return try Self.row(of: node, in: branch, storage)
    }
    return row
  }

  /// A node's latest row with its small contents.
  static func row(of node: StoredNode, in branch: CloudID, _ storage: any CloudStorageReader) throws -> WireRow {
    var row = WireRow()
    row.line = node.line
    row.record = node.record.wire
    row.contents = try storage.contents(of: node.cloudID, in: branch).map { content in
      .with {
        $0.content = data(content.content.bytes)
        $0.ciphertext = data(content.bytes)
      }
    }
    return row
  }

  /// Every permissions record of a branch, for whoever has a letter on it: a sender needs an inbox's.
  func permissions(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    let branch: CloudID = try fixed(try decode(WirePermissionsRequest.self, request.body).branch)
    return try storage.read { storage in
      // Who is refused by it hears so from the record itself.
      guard try storage.isNamed(caller.user, on: branch) else { throw Refusal.letterMissing }
      guard let records = try storage.permissionsHistory(of: branch, upTo: ServerLimits.answerBytes) else {
        throw Refusal.limitExceeded
      }
      return answer(
        WirePermissionsHistory.with {
          $0.branch = data(branch.bytes)
          $0.records = records.map(\.wire)
        })
    }
  }
}

extension WireRow {
  /// How much room it takes in an answer, with what is around it.
  var size: Int { contents.reduce(record.body.count + 80) { $0 + $1.ciphertext.count + 32 } }
}
