import CloudAPI
import Lies
import Signing
import SwiftProtobuf
import TestSupport

extension Lie {
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
