import CloudAPI
import Signing
import SwiftProtobuf
import TestSupport

/// How a server changes its answers about one branch.
struct Lie: Sendable {
  let branch: CloudID

  /// Changes the pages of the branch.
  func page(
    _ response: CloudResponse, to request: CloudRequest, _ change: (inout WirePage) -> Void
  ) -> CloudResponse {
    guard request.path == Route.pull.path, response.status == 200,
      var page = try? decode(WirePage.self, response.body), Array(page.branch) == branch.bytes
    else { return response }
    change(&page)
    var response = response
    response.body = encode(page)
    return response
  }

  /// Changes the head of the branch.
  func head(
    _ response: CloudResponse, to request: CloudRequest, _ change: (inout WireBranchHead) -> Void
  ) -> CloudResponse {
    guard request.path == Route.heads.path, response.status == 200,
      var heads = try? decode(WireHeads.self, response.body),
      let index = heads.branches.firstIndex(where: { Array($0.branch) == branch.bytes })
    else { return response }
    change(&heads.branches[index])
    var response = response
    response.body = encode(heads)
    return response
  }

  /// Appends a record to head and page alike, so that the chain holds.
  func lengthening(_ response: CloudResponse, to request: CloudRequest, by draft: Draft) -> CloudResponse {
    let longer = head(response, to: request) { head in
      guard let hash = Hash32(bytes: head.logHash) else { return }
      let next = append(draft, to: LogHead(line: head.line, hash: hash))
      head.line = next.head.line
      head.logHash = data(next.head.hash.bytes)
    }
    return page(longer, to: request) { page in
      guard let hash = Hash32(bytes: page.headHash) else { return }
      let next = append(draft, to: LogHead(line: page.headLine, hash: hash))
      page.lines += data(next.line.encoded)
      page.rows.append(
        .with {
          $0.line = next.line.number
          $0.record = draft.record.wire
          $0.contents = draft.contents
        })
      page.headLine = next.head.line
      page.headHash = data(next.head.hash.bytes)
    }
  }

  private func append(_ draft: Draft, to head: LogHead) -> (line: Line, head: LogHead) {
    let line = Line(number: head.line + 1, kind: draft.kind, cloudID: draft.node, hash: draft.record.hash)
    return (line, head.appending(line))
  }
}

extension WirePage {
  /// The lines, to be changed one by one.
  var entries: [Line] {
    get { (try? Line.decode(Array(lines))) ?? [] }
    set { lines = data(newValue.flatMap(\.encoded)) }
  }
}
