import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Synchronization
import Testing

/// A clock that stands still until it is moved.
final class StillClock: WallClock {
  private let time = Mutex<Int64>(1_700_000_000_000)
  func now() -> Int64 { time.withLock { $0 } }
  func move(by milliseconds: Int64) { time.withLock { $0 += milliseconds } }
  func sleep(_ milliseconds: Int64) async throws { move(by: milliseconds) }
}

/// A server in this process, with a database of its own.
final class World {
  let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cloud-\(UUID().uuidString)").path
  let clock = StillClock()
  let storage: SQLiteStorage
  private(set) var blobs: any BlobStore
  private(set) var cloud: Cloud

  init(
    _ policy: SignUpPolicy = .open, blobs: any BlobStore = MemoryBlobStore(), fileRules: FileRules = FileRules(),
    budget: Work = ServerLimits.work
  ) throws {
    storage = try SQLiteStorage(folder: folder, budget: budget)
    self.blobs = blobs
    cloud = Cloud(
      storage: storage, blobs: blobs, policy: policy, clock: clock, acceptsRestores: true, fileRules: fileRules)
  }

  /// A new server on what the one before left.
  func restart(blobs: any BlobStore, fileRules: FileRules = FileRules()) throws {
    self.blobs = blobs
    cloud = Cloud(
      storage: storage, blobs: blobs, policy: .open, clock: clock, acceptsRestores: true, fileRules: fileRules)
    try cloud.removeLeftovers()
  }

  deinit {
    storage.close()
    try? FileManager.default.removeItem(atPath: folder)
  }

  func member(_ handle: String) throws -> Person {
    let person = Person(handle)
    try #require(send(.accounts, person.signUp()).status == 201)
    return person
  }

  func request(
    _ route: Route, query: String = "", _ body: [UInt8], as signer: Caller?, _ key: SigningKey?
  ) -> CloudRequest {
    var request = CloudRequest(
      method: route.method, authority: "localhost", path: route.path, headers: ["todo-protocol": "1"], body: body)
    request.query = query
    if let signer, let key { RequestSignature.sign(&request, as: signer, with: key, now: clock.now(), entropy) }
    return request
  }

  @discardableResult
  func send(_ route: Route, _ message: (any SwiftProtobuf.Message)? = nil, as person: Person? = nil) -> CloudResponse {
    cloud.handle(request(route, message.map { encode($0) } ?? [], as: person?.signer, person?.device))
  }

  func batch(_ operations: [WireOperation], as person: Person) throws -> [WireOutcome] {
    let response = send(.batch, WireBatch.with { $0.operations = operations }, as: person)
    try #require(response.status == 200, "\(reason(response))")
    return try WireOutcomes(serializedBytes: response.body).outcomes
  }

  func pull(
    _ branch: CloudID, after: LogHead? = nil, limit: UInt32 = 0, as person: Person
  ) throws -> WirePage {
    let start = after ?? LogHead(startOf: branch)
    let response = send(
      .pull,
      WirePullRequest.with {
        $0.branch = data(branch.bytes)
        $0.afterLine = start.line
        $0.afterHash = data(start.hash.bytes)
        $0.limit = limit
      }, as: person)
    try #require(response.status == 200, "\(reason(response))")
    return try WirePage(serializedBytes: response.body)
  }
}

/// The reason in a problem's body.
func reason(_ response: CloudResponse) -> String {
  (try? WireProblem(serializedBytes: response.body))?.reason ?? ""
}

/// An outcome in one word: `accepted`, or its reason.
func word(_ outcome: WireOutcome?) -> String {
  switch outcome?.result {
  case .accepted: "accepted"
  case .conflict(let conflict): "conflict \(conflict.reason)"
  case .refused(let refused): "refused \(refused.reason)"
  case .dependencyFailed: "dependency-failed"
  case nil: "nothing"
  }
}
