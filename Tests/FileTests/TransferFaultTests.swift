import CloudAPI
import CloudServer
import Foundation
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What goes wrong with files on their way, and what a server can do to them.
@Suite struct TransferFaultTests {
  let home: Household
  var alice: Device { home.alice }
  var bob: Device { home.bob }

  init() async throws { home = try await Household() }

  /// What answers a request for a section or its leaves, and what it is then.
  static let lies: [(name: String, lie: @Sendable ([UInt8]) -> [UInt8], reason: FileFault)] = [
    (
      "a bit",
      { bytes in
        var bytes = bytes
        bytes[bytes.count / 2] ^= 1
        return bytes
      }, .contentMismatch
    ),
    ("other bytes", { [UInt8](repeating: 0, count: $0.count) }, .contentMismatch),
    ("swapped halves", { Array($0[($0.count / 2)...] + $0[..<($0.count / 2)]) }, .contentMismatch),
  ]

  @Test(arguments: lies.indices, [NodeComponents.thumbnail, .metadata, .data])
  func nothingIsKeptThatIsNotWhatWasSigned(lie: Int, section: NodeComponents) async throws {
    try alice.attach(1_500_000)
    try await alice.syncAll()
    try await bob.syncAll()
    let image = try #require(try bob.image())
    let (_, change, reason) = Self.lies[lie]
    bob.transport.setTamper { request, response in
      guard request.path.hasPrefix("/v1/contents/"), !request.path.hasSuffix("/leaves") else { return response }
      var response = response
      response.body = change(response.body)
      return response
    }
    await #expect(throws: reason) { try await bob.session.fetchFile(section, of: image.node) }
    #expect(try bob.size(.cache) == 0)
    bob.transport.setTamper { $1 }
    try await bob.session.fetchFile([.thumbnail, .metadata, .data], of: image.node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(1_500_000)))
  }

  @Test(arguments: [-1, 1, -32, 32]) func leavesThatAreForgedAreNotBelieved(by difference: Int) async throws {
    let node = try await home.shared(2_500_000).node
    bob.transport.setTamper { request, response in
      guard request.path.hasSuffix("/leaves") else { return response }
      var response = response
      if difference < 0 { response.body.removeLast(-difference) }
      if difference > 0 { response.body += [UInt8](repeating: 9, count: difference) }
      return response
    }
    let reason = await #expect(throws: (any Error).self) { try await bob.session.fetchFile(.data, of: node) }
    // Half a hash is no answer at all.
    let isWhole = difference.isMultiple(of: Hash32.length)
    #expect(isWhole ? reason is FileFault : reason as? CloudFailure == .refused(.contentMissing))
    #expect(!isWhole || reason as? FileFault == .contentMissing)
    #expect(try bob.size(.cache) == 0)
  }

  @Test func leavesOfAnotherFileAreNotBelieved() async throws {
    let node = try await home.shared(2_500_000).node
    bob.transport.setTamper { request, response in
      guard request.path.hasSuffix("/leaves") else { return response }
      var response = response
      response.body[40] ^= 1
      return response
    }
    await #expect(throws: FileFault.contentMismatch) { try await bob.session.fetchFile(.data, of: node) }
    #expect(try bob.size(.cache) == 0)
  }

  @Test(arguments: [-1, 1]) func anAnswerOfAnotherLengthIsNone(by difference: Int) async throws {
    let node = try await home.shared(50_000).node
    bob.transport.setTamper { request, response in
      guard request.path.hasPrefix("/v1/contents/") else { return response }
      var response = response
      if difference < 0 { response.body.removeLast() } else { response.body.append(0) }
      return response
    }
    await #expect(throws: CloudFailure.refused(.contentMissing)) {
      try await bob.session.fetchFile(.thumbnail, of: node)
    }
    #expect(try bob.size(.cache) == 0)
  }

  @Test func whatTheServerWillNotHaveIsKeptAndTriedAgain() async throws {
    try alice.attach(50_000)
    alice.transport.setStandIn { request in
      guard request.method == "PUT" else { return nil }
      return CloudResponse(
        status: 507, headers: ["todo-protocol": String(protocolVersion)],
        body: encode(WireProblem.with { $0.reason = Refusal.quotaExceeded.rawValue }))
    }
    try await alice.syncAll()
    #expect(try alice.refused() == [.quotaExceeded])
    #expect(try alice.size(.persistent) > 50_000)
    // Nothing else waits for it, and it is not tried for ever.
    #expect(try await alice.session.transferFiles() == TransferReport())
    alice.transport.setStandIn { _ in nil }
    try alice.database.write { transaction in
      for operation in try transaction.operations() { try transaction.retryOperation(operation.sequence) }
    }
    try await alice.syncAll()
    try await bob.syncAll()
    #expect(try bob.image() != nil)
  }

  @Test func aServerThatNeverHasTheFileEndsNothing() async throws {
    try alice.attach(50_000)
    try await alice.sync()
    alice.transport.setTamper { request, response in
      guard request.path == Route.batch.path, var outcomes = try? decode(WireOutcomes.self, response.body) else {
        return response
      }
      for index in outcomes.outcomes.indices { outcomes.outcomes[index].refused.reason = "content-missing" }
      var response = response
      response.body = encode(outcomes)
      return response
    }
    let report = try await alice.syncAll()
    #expect(report.unsent > 0)
    alice.transport.setTamper { $1 }
    try await alice.syncAll()
    #expect(try alice.unsent() == 0)
  }

  /// A server that takes a file and says each time that it has not got it, or that has forgotten it as well, is not sent it for ever.
  @Test(arguments: [false, true]) func aFileThatNeverArrivesIsGivenUp(isForgotten: Bool) async throws {
    let file = try alice.attach(50_000)
    alice.transport.setStandIn { request in
      if request.path == Route.batch.path { return Self.refusingFiles(request) }
      guard isForgotten, request.method == "GET", request.path.hasPrefix("/v1/files/") else { return nil }
      return CloudResponse(
        status: 404, headers: ["todo-protocol": String(protocolVersion)],
        body: encode(WireProblem.with { $0.reason = Refusal.notFound.rawValue }))
    }
    for _ in 0..<5 { try await alice.syncAll() }
    #expect(try alice.refused() == [.contentMissing])
    #expect(alice.fileTraffic().up == Int(file.layout.length) * (isForgotten ? 4 : 1))
    #expect(try await alice.session.transferFiles() == TransferReport())
    // It is here all the same, and goes when its user wants that.
    #expect(isSame(try alice.picture() ?? [], Shelf.bytes(50_000)))
    alice.transport.setStandIn { _ in nil }
    try alice.database.write { try $0.retryRefused() }
    try await alice.syncAll()
    #expect(try alice.unsent() == 0 && alice.refused() == [])
    try await bob.syncAll()
    try await bob.session.fetchFile(.data, of: try #require(try bob.image()).node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(50_000)))
  }

  /// Refuses all of a batch in which there is a header that lists a file.
  private static func refusingFiles(_ request: CloudRequest) -> CloudResponse? {
    let operations = (try? decode(WireBatch.self, request.body).operations) ?? []
    let listsFile = operations.contains { operation in
      guard case .put(let put) = operation.change else { return false }
      return (try? HeaderBody(decoding: Array(put.header.body)))?.content(.data)?.file != nil
    }
    guard listsFile else { return nil }
    let outcomes = operations.map { operation in
      WireOutcome.with {
        $0.operation = operation.operation
        $0.refused.reason = Refusal.contentMissing.rawValue
      }
    }
    return CloudResponse(
      status: 200, headers: ["todo-protocol": String(protocolVersion)],
      body: encode(WireOutcomes.with { $0.outcomes = outcomes }))
  }

  @Test func whoCancelsLosesNothing() async throws {
    let file = try alice.attach(13_000_000)
    try await alice.sync()
    let session = alice.session
    let task = Locked<Task<TransferReport, any Error>?>(nil)
    let puts = Locked(0)
    // In the midst of it: when the second of four parts is there.
    alice.transport.setTamper { request, response in
      let number = puts.with { puts in
        puts += request.method == "PUT" ? 1 : 0
        return puts
      }
      if number == 2 { task.with { $0?.cancel() } }
      return response
    }
    task.with { $0 = Task { try await session.transferFiles() } }
    let running = try #require(task.with { $0 })
    await #expect(throws: CancellationError.self) { try await running.value }
    #expect(puts.with { $0 } == 2)
    alice.transport.setTamper { $1 }
    alice.transport.clearTraffic()
    try await alice.syncAll()
    let parts = FileParts(of: file.layout)
    #expect(alice.fileTraffic().up == [2, 3].compactMap { parts.range(of: $0)?.count }.reduce(0, +))
    #expect(try alice.unsent() == 0)
    try await bob.syncAll()
    try await bob.session.fetchFile(.data, of: try #require(try bob.image()).node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(13_000_000)))
  }

  @Test func whoGivesTheUploadUpHasNoFileLeft() async throws {
    try alice.attach(50_000)
    try alice.database.write { transaction in
      for operation in try transaction.operations() { try transaction.discardOperation(operation.sequence) }
    }
    try await alice.syncAll()
    #expect(try alice.image() == nil)
    #expect(try alice.size(.persistent) == 0)
    #expect(try FileManager.default.contentsOfDirectory(atPath: alice.path + ".files") == [])
  }
}
