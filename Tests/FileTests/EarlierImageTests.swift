import CloudAPI
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A todo has one image, and those that it had before stay: for everybody, whether or not there was a server when they were replaced.
@Suite struct EarlierImageTests {
  let home: Household
  var alice: Device { home.alice }
  var bob: Device { home.bob }

  init() async throws { home = try await Household() }

  @Test func withoutAnAccountTheReplacedImageStays() async throws {
    let carol = try home.world.device("carol")
    let list = try carol.list("Party", "Cake")
    let first = try carol.attach(50_000, to: "Cake")
    let second = try carol.attach(30_000, to: "Cake")
    #expect(try carol.earlier(of: "Cake").map(\.file) == [first])
    #expect(try carol.size(.persistent) > 80_000)
    #expect(isSame(try carol.bytes(of: first) ?? [], Shelf.bytes(50_000)))
    try await carol.session.signUp(handle: "carol", server: "test")
    let friend = try #require(try await carol.session.lookUp(handle: "bob"))
    try carol.database.write { try $0.share(list, with: friend.user, role: .viewer, title: "Party", note: "") }
    try await carol.syncAll()
    #expect(try carol.unsent() == 0 && carol.size(.persistent) == 0)
    try await bob.sync()
    try bob.database.write { _ = try $0.graftInvite(try $0.invites()[0].number) }
    try await bob.syncAll()
    #expect(try bob.image(of: "Cake")?.file == second)
    try await bobSeesEarlier(first, 50_000, of: "Cake")
  }

  @Test func whileThereIsNoServerTheReplacedImageStays() async throws {
    alice.transport.setFate { _ in .lost }
    let first = try alice.attach(50_000)
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    let second = try alice.attach(30_000)
    let third = try alice.attach(20_000)
    #expect(try alice.earlier().map(\.file) == [second, first])
    alice.transport.setFate { _ in .delivered }
    try await alice.syncAll()
    #expect(try alice.unsent() == 0 && alice.refused() == [])
    try await bob.syncAll()
    #expect(try bob.image()?.file == third)
    #expect(try bob.earlier().map(\.file) == [second, first])
    try await bobSeesEarlier(second, 30_000)
  }

  /// Who takes an image off that was never sent gives up that one, and not those before it.
  @Test func onlyWhatIsTakenOffIsTakenBack() async throws {
    let first = try alice.attach(50_000)
    try alice.attach(30_000)
    let todo = try alice.todo()
    try alice.database.write { _ = try $0.removeImage(of: todo) }
    #expect(try alice.earlier().map(\.file) == [first])
    for device in [alice, bob] { try await device.syncAll() }
    #expect(try bob.image() == nil)
    try await bobSeesEarlier(first, 50_000)
  }

  /// The wrong photo was replaced before anybody could see it.
  @Test func anEarlierImageIsTakenBackBeforeItWasSent() async throws {
    try alice.attach(50_000)
    let second = try alice.attach(30_000)
    #expect(try takeBackTheEarlier() == .unsent)
    for device in [alice, bob] { try await device.syncAll() }
    #expect(try FileManager.default.contentsOfDirectory(atPath: alice.path + ".files").count == 3)
    #expect(try bob.image()?.file == second)
    #expect(try bob.earlier() == [])
    try alice.attach(20_000)
    #expect(try takeBackTheEarlier() == .stays)
    #expect(try alice.earlier().map(\.file) == [second])
  }

  /// What its user took off after the server refused it, the file or its header, is not sent by another try.
  @Test(arguments: [false, true]) func aRefusedImageThatIsTakenOffIsGivenUp(isHeader: Bool) async throws {
    try await refuse(isHeader)
    let todo = try alice.todo()
    try alice.database.write { _ = try $0.removeImage(of: todo) }
    #expect(try alice.refused().allSatisfy { $0 != .quotaExceeded })
    try await retryAll()
    for device in [alice, bob] {
      #expect(try device.image() == nil)
      #expect(try device.earlier() == [])
    }
  }

  @Test(arguments: [false, true]) func aRefusedImageIsReplaced(isHeader: Bool) async throws {
    try await refuse(isHeader)
    let second = try alice.attach(20_000)
    #expect(try alice.earlier() == [])
    try await retryAll()
    #expect(try bob.image()?.file == second)
    #expect(try bob.earlier() == [])
  }

  /// One that was replaced before it was refused.
  @Test func anEarlierImageThatWasRefusedIsTakenBack() async throws {
    try alice.attach(50_000)
    let second = try alice.attach(20_000)
    let refused = try #require(try alice.earlier().first)
    try await refuseFiles { try await alice.syncAll() }
    try alice.database.write { transaction in
      for change in try transaction.operations() where change.node != refused.node {
        try transaction.retryOperation(change.sequence)
      }
    }
    #expect(try takeBackTheEarlier() == .refused)
    try await retryAll()
    #expect(try bob.image()?.file == second)
    #expect(try bob.earlier() == [])
  }

  /// Alice attaches one that the server refuses: its file, or the header that lists it.
  private func refuse(_ isHeader: Bool) async throws {
    let file = try alice.attach(50_000)
    if isHeader {
      try await alice.sync()
      _ = try await alice.session.transferFiles()
    }
    try await refuseFiles { try await alice.syncAll() }
    let image = try #require(try alice.image()).node
    #expect(try alice.database.read { try $0.isRefused(image) })
    #expect(try alice.image()?.file == file)
  }

  private func refuseFiles(_ body: () async throws -> Void) async throws {
    alice.transport.setStandIn { request in
      guard request.method == "PUT" else { return Self.refusingHeaders(request) }
      return CloudResponse(
        status: 507, headers: ["todo-protocol": String(protocolVersion)],
        body: encode(WireProblem.with { $0.reason = Refusal.quotaExceeded.rawValue }))
    }
    try await body()
    alice.transport.setStandIn { _ in nil }
  }

  private static func refusingHeaders(_ request: CloudRequest) -> CloudResponse? {
    guard request.path == Route.batch.path else { return nil }
    let operations = (try? decode(WireBatch.self, request.body).operations) ?? []
    let outcomes = operations.map { operation in
      WireOutcome.with {
        $0.operation = operation.operation
        $0.refused.reason = Refusal.quotaExceeded.rawValue
      }
    }
    return CloudResponse(
      status: 200, headers: ["todo-protocol": String(protocolVersion)],
      body: encode(WireOutcomes.with { $0.outcomes = outcomes }))
  }

  private func retryAll() async throws {
    try alice.database.write { try $0.retryRefused() }
    for device in [alice, bob] { try await device.syncAll() }
    #expect(try alice.unsent() == 0)
  }

  /// Its header was under way, and who says that it was not taken may have it all the same.
  @Test func whatAConflictWasSaidOfStays() async throws {
    let file = try alice.attach(100_000)
    try await alice.sync()
    _ = try await alice.session.transferFiles()
    alice.transport.setTamper { request, response in
      guard request.path == Route.batch.path, var told = try? decode(WireOutcomes.self, response.body) else {
        return response
      }
      for place in told.outcomes.indices { told.outcomes[place].conflict.reason = Refusal.versionStale.rawValue }
      var response = response
      response.body = encode(told)
      return response
    }
    // Nothing is read any more after that.
    let isSent = Locked(false)
    alice.transport.setFate { request in
      isSent.with { sent in
        defer { sent = sent || request.path == Route.batch.path }
        return sent ? .lost : .delivered
      }
    }
    await #expect(throws: CloudFailure.unreachable) { try await alice.sync() }
    alice.transport.setFate { _ in .delivered }
    alice.transport.setTamper { _, response in response }
    #expect(try alice.unsent() > 0)
    let todo = try alice.todo()
    try alice.database.write { _ = try $0.removeImage(of: todo) }
    #expect(try alice.earlier().map(\.file) == [file])
    alice.transport.clearTraffic()
    for device in [alice, bob] { try await device.syncAll() }
    #expect(!alice.transport.traffic.with { $0 }.contains { $0.request.method == "DELETE" })
    #expect(try alice.unsent() == 0)
    #expect(try bob.image() == nil)
    try await bobSeesEarlier(file, 100_000)
  }

  private func takeBackTheEarlier() throws -> Recall {
    let todo = try alice.todo()
    let earlier = try #require(try alice.earlier().first)
    return try alice.database.write { try $0.takeBack(earlier, of: todo) }
  }

  private func bobSeesEarlier(_ file: NodeFile, _ size: Int, of title: String = "BBQ sauce") async throws {
    let image = try #require(try bob.earlier(of: title).first)
    #expect(image.file == file)
    try await bob.session.fetchFile(.data, of: image.node)
    #expect(isSame(try bob.bytes(of: file) ?? [], Shelf.bytes(size)))
  }
}

extension Device {
  fileprivate func earlier(of title: String = "BBQ sauce") throws -> [TodoImage] {
    let todo = try todo(title)
    return try database.read { try $0.earlierImages(of: todo) }
  }

  /// If all of them are on this disk.
  fileprivate func bytes(of file: NodeFile) throws -> [UInt8]? {
    var sink = MemorySink()
    return try database.diskStore.data(of: file, into: &sink) ? sink.bytes : nil
  }
}
