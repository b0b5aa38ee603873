package import CloudAPI
package import Signing
package import SwiftProtobuf

/// How a server changes its answers about one branch.
package struct Lie: Sendable {
  package let branch: CloudID

  package init(branch: CloudID) { self.branch = branch }

  /// Changes the pages of the branch.
  package func page(
    _ response: CloudResponse, to request: CloudRequest, _ change: (inout WirePage) -> Void
  ) -> CloudResponse {
    guard request.path == Route.pull.path, response.status == 200,
      var page = try? decode(WirePage.self, response.body), Array(page.branch) == branch.bytes
    else { return response }
    change(&page)
    return response.carrying(page)
  }

  /// Changes the head of the branch.
  package func head(
    _ response: CloudResponse, to request: CloudRequest, _ change: (inout WireBranchHead) -> Void
  ) -> CloudResponse {
    guard request.path == Route.heads.path, response.status == 200,
      var heads = try? decode(WireHeads.self, response.body),
      let index = heads.branches.firstIndex(where: { Array($0.branch) == branch.bytes })
    else { return response }
    change(&heads.branches[index])
    return response.carrying(heads)
  }
}

extension CloudResponse {
  /// The same answer with another message.
  package func carrying(_ message: some SwiftProtobuf.Message) -> CloudResponse {
    var response = self
    response.body = encode(message)
    return response
  }

  /// An answer as the server gives it.
  package static func told(
    _ message: some SwiftProtobuf.Message, status: Int = 200, at time: Int64 = 1_790_000_000_000
  ) -> CloudResponse {
    CloudResponse(
      status: status, headers: ["todo-protocol": "1", "date": HTTPDate.text(time)], body: encode(message))
  }

  /// That something was refused.
  package static func refusing(_ reason: Refusal, status: Int, at time: Int64 = 1_790_000_000_000) -> CloudResponse {
    told(WireProblem.with { $0.reason = reason.rawValue }, status: status, at: time)
  }
}

extension WirePage {
  /// The lines, to be changed one by one.
  package var entries: [Line] {
    get { (try? Line.decode(Array(lines))) ?? [] }
    set { lines = data(newValue.flatMap(\.encoded)) }
  }
}

extension SignedRecord {
  /// The same with another suite, and the signature of what it was.
  package func bent(_ record: RecordKind, suite: UInt32) throws -> SignedRecord {
    switch record {
    case .permissions: try bent(WirePermissionsRecord.self) { $0.suite = suite }
    case .tombstone: try bent(WireTombstone.self) { $0.suite = suite }
    case .keyring: try bent(WireKeyringEntry.self) { $0.suite = suite }
    default: try bent(WireNodeHeader.self) { $0.suite = suite }
    }
  }

  /// The same with a change that its signer knows nothing of.
  package func bent<Body: SwiftProtobuf.Message>(
    _ type: Body.Type, _ change: (inout Body) -> Void
  ) throws -> SignedRecord {
    var wire = try decode(Body.self, body)
    change(&wire)
    return SignedRecord(body: encode(wire), signature: signature)
  }
}
