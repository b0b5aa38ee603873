import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

/// One line of a log as a server tells it, with its row.
struct Told: Sendable {
  var kind: Line.Kind
  var node: CloudID
  /// Nil: the server keeps the row back.
  var record: SignedRecord?
  var contents: [WireContent] = []
  /// Of the record, also where it is kept back.
  var hash: Hash32

  /// Another record in its place; the line names that one.
  mutating func replace(_ record: SignedRecord) {
    self.record = record
    hash = record.hash
  }
}

/// A history that a server invents for one reader: lines, hashes and heads fit each other.
struct Retelling: Sendable {
  let branch: CloudID
  let cursor: LogHead
  var told: [Told]

  /// A history of a branch that the real server does not have.
  init(of branch: CloudID, told: [Told]) {
    self.branch = branch
    cursor = LogHead(startOf: branch)
    self.told = told
  }

  /// What the server really has after a reader's cursor.
  init(of branch: CloudID, to reader: Device, in world: World) throws {
    guard
      let cursor = try reader.database.read({ transaction in
        try transaction.branch(branch).flatMap { try transaction.cursor(of: $0) }
      })
    else { throw TreeError.noSuchNode }
    let request = WirePullRequest.with {
      $0.branch = data(branch.bytes)
      $0.afterLine = cursor.line
      $0.afterHash = data(cursor.hash.bytes)
    }
    let answer = world.cloud.handle(try reader.signed(.pull, in: world, encode(request)))
    let page = try decode(WirePage.self, answer.body)
    self.branch = branch
    self.cursor = cursor
    told = try page.entries.map { line in
      let row = page.rows.first { $0.line == line.number }
      return Told(
        kind: line.kind, node: line.cloudID, record: try row.map { try SignedRecord($0.record) },
        contents: row?.contents ?? [], hash: line.hash)
    }
  }

  /// The last line of a kind.
  func last(_ kind: Line.Kind) throws -> Int {
    guard let index = told.lastIndex(where: { $0.kind == kind }) else { throw TreeError.noSuchNode }
    return index
  }

  /// The page from the cursor to the head.
  var page: WirePage {
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

extension HostileServer {
  /// Tells a reader another history of a branch than the true one.
  func tell(_ retelling: Retelling) {
    let page = retelling.page
    let start = retelling.cursor.line
    let lie = SharingTests.Lie(branch: retelling.branch)
    self.lie { request, response in
      let answer = lie.head(response, to: request) { head in
        head.line = page.headLine
        head.logHash = page.headHash
        head.denied = false
      }
      guard request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        Array(asked.branch) == lie.branch.bytes, asked.afterLine == start
      else { return answer }
      return HostileServer.answer(page)
    }
  }
}
