package import CloudAPI
import Foundation
package import Signing
import SwiftProtobuf

/// One line of a log as a server tells it, with its row.
package struct Told: Sendable {
  package var kind: Line.Kind
  package var node: CloudID
  /// Nil: the server keeps the row back.
  package var record: SignedRecord?
  package var contents: [WireContent]
  /// Of the record, also where it is kept back.
  package var hash: Hash32

  package init(
    kind: Line.Kind, node: CloudID, record: SignedRecord?, contents: [WireContent] = [], hash: Hash32
  ) {
    self.kind = kind
    self.node = node
    self.record = record
    self.contents = contents
    self.hash = hash
  }

  /// Another record in its place; the line names that one.
  package mutating func replace(_ record: SignedRecord) {
    self.record = record
    hash = record.hash
  }
}

/// A history that a server invents for one reader: lines, hashes and heads fit each other.
package struct Retelling: Sendable {
  package let branch: CloudID
  package let cursor: LogHead
  package var told: [Told]

  /// A history of a branch that the real server does not have.
  package init(of branch: CloudID, told: [Told]) {
    self.branch = branch
    cursor = LogHead(startOf: branch)
    self.told = told
  }

  /// What a page tells after a reader's cursor.
  package init(_ page: WirePage, after cursor: LogHead) throws {
    branch = try fixed(page.branch)
    self.cursor = cursor
    told = try page.entries.map { line in
      let row = page.rows.first { $0.line == line.number }
      return Told(
        kind: line.kind, node: line.cloudID, record: try row.map { try SignedRecord($0.record) },
        contents: row?.contents ?? [], hash: line.hash)
    }
  }

  /// The last line of a kind.
  package func last(_ kind: Line.Kind) throws -> Int {
    guard let index = told.lastIndex(where: { $0.kind == kind }) else { throw Refusal.rowMissing }
    return index
  }

  /// The page from the cursor to the head.
  package var page: WirePage {
    var page = WirePage()
    page.branch = data(branch.bytes)
    var head = cursor
    for told in told {
      let line = Line(number: head.line + 1, kind: told.kind, cloudID: told.node, hash: told.hash)
      head = head.appending(line)
      page.lines += data(line.encoded)
      guard let record = told.record else { continue }
      page.rows.append(
        .with {
          $0.line = line.number
          $0.record = record.wire
          $0.contents = told.contents
        })
    }
    page.headLine = head.line
    page.headHash = data(head.hash.bytes)
    return page
  }
}
