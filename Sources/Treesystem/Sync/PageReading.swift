import CloudAPI
import Signing
import SwiftProtobuf

/// One branch while it is read, page after page: what was fetched and found out before its turn.
struct PageReading: Sendable {
  let branch: FollowedBranch
  let connection: CloudConnection
  /// How many lines a page has at most.
  let lines: Int
  /// The keyrings that the pages so far have cited.
  var authors: [UserID: Keyring] = [:]
  var checked = CheckedSignatures()
  /// The next page, if it was fetched already, and where it begins.
  var ahead: (start: LogHead, page: IncomingPage)?

  init(branch: FollowedBranch, connection: CloudConnection, lines: Int) {
    self.branch = branch
    self.connection = connection
    self.lines = lines
  }

  /// The page after a cursor.
  func page(after cursor: LogHead) async throws -> IncomingPage {
    if let ahead, ahead.start == cursor { return ahead.page }
    let request = WirePullRequest.with {
      $0.branch = data(branch.cloudID.bytes)
      $0.afterLine = cursor.line
      $0.afterHash = data(cursor.hash.bytes)
      $0.limit = UInt32(lines)
    }
    return try IncomingPage(try await connection.call(.pull, request, answer: WirePage.self))
  }

  /// The page after a cursor, with its signatures checked as far as their keys are known.
  func following(_ cursor: LogHead) async throws -> ((LogHead, IncomingPage), CheckedSignatures) {
    let page = try await page(after: cursor)
    var checked = CheckedSignatures()
    await checked.check(page, by: authors)
    return ((cursor, page), checked)
  }
}
