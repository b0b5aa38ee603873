import CloudAPI
import Signing
import SwiftProtobuf

extension Cloud {
  /// What a branch has newest below some of its nodes, for whoever wants to show that before they have read all of it (spec §6.6).
  func newest(_ request: CloudRequest) throws -> CloudResponse {
    let caller = try authenticate(request)
    let message = try decode(WireNewestRequest.self, request.body)
    let branch: CloudID = try fixed(message.branch)
    guard message.parents.count <= Limits.requestItems else { throw Refusal.limitExceeded }
    let parents: [CloudID] = try message.parents.map { try fixed($0) }
    let count = Int(min(message.count, UInt32(Limits.pageLines)))
    return try storage.read { storage in
      guard try storage.letters(of: caller.user, on: branch).contains(.read), let head = try storage.head(of: branch)
      else { throw Refusal.letterMissing }
      var newest = WireNewest()
      newest.branch = message.branch
      newest.headLine = head.line
      newest.headHash = data(head.hash.bytes)
      if parents.isEmpty {
        guard let records = try storage.permissionsHistory(of: branch, upTo: ServerLimits.answerBytes) else {
          throw Refusal.limitExceeded
        }
        newest.permissions = records.map(\.wire)
      }
      try Self.add(newestBelow: parents, count, in: branch, to: &newest, storage)
      return answer(newest)
    }
  }

  /// As many as fit, and at least one. Where they do not, the last parent that was answered has fewer than it could have.
  private static func add(
    newestBelow parents: [CloudID], _ count: Int, in branch: CloudID, to newest: inout WireNewest,
    _ storage: any CloudStorageReader
  ) throws {
    var bytes = 0
    for parent in parents {
      newest.answered += 1
      guard try storage.node(parent, in: branch)?.isLive == true else { continue }
      // Row by row: a thousand of the largest records would not fit into memory before they are counted.
      for id in try [parent] + storage.newestChildren(of: parent, in: branch, limit: count) {
        guard let node = try storage.node(id, in: branch) else { throw StorageFailure.damaged }
        let row = try row(of: node, in: branch, storage)
        bytes += row.size
        guard bytes <= Limits.pageBytes || newest.rows.isEmpty else { return }
        newest.rows.append(row)
      }
    }
  }
}
