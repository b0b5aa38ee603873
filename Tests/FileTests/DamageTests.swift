import CloudAPI
import Foundation
import Sealing
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A disk that does not keep what is to be sent from it.
@Suite struct DamageTests {
  let home: Household
  var alice: Device { home.alice }
  var bob: Device { home.bob }

  init() async throws { home = try await Household() }

  /// Flips a bit of the largest file on a device's disk, where the data lies.
  private func damage(_ device: Device, at place: (Int) -> Int) throws {
    let folder = URL(filePath: device.path + ".files")
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let sizes = try files.map { (file: $0, bytes: try Data(contentsOf: $0)) }
    let largest = try #require(sizes.max { $0.bytes.count < $1.bytes.count })
    var bytes = largest.bytes
    bytes[place(bytes.count)] ^= 1
    try bytes.write(to: largest.file)
  }

  @Test(arguments: [0.1, 0.5, 0.99]) func whatWentBadIsNotSent(at fraction: Double) async throws {
    let bad = try alice.attach(13_000_000)
    #expect(try alice.database.diskStore.damaged() == [])
    try damage(alice) { Int(Double($0) * fraction) }
    let node = try #require(try alice.image()).node
    #expect(try alice.database.diskStore.damaged() == [node])
    try await alice.syncAll()
    // Refused as a change, with what to do about it, and not tried for ever.
    #expect(try alice.refused() == [.contentMissing])
    #expect(try await alice.session.transferFiles() == TransferReport())
    let parts = FileParts(of: bad.layout)
    let wrong = min(UInt64(fraction * Double(bad.layout.leafCount)) / FileParts.leaves, parts.count - 1)
    let sent = alice.transport.traffic.with { $0 }.filter { $0.request.method == "PUT" }.map(\.request.path)
    #expect(sent.count == Int(wrong) && !sent.contains { $0.hasSuffix("/\(wrong)") })
    // Attached again it arrives.
    try alice.database.write { transaction in
      for operation in try transaction.operations() { try transaction.discardOperation(operation.sequence) }
    }
    try alice.attach(13_000_000)
    #expect(try await alice.syncAll().unsent == 0)
    #expect(try alice.database.diskStore.damaged() == [])
    try await bob.syncAll()
    try await bob.session.fetchFile(.data, of: try #require(try bob.image()).node)
    #expect(isSame(try bob.picture() ?? [], Shelf.bytes(13_000_000)))
  }

  @Test func whatIsGoneIsDamagedToo() async throws {
    try alice.attach(100_000)
    let node = try #require(try alice.image()).node
    try FileManager.default.removeItem(atPath: alice.path + ".files")
    #expect(try alice.database.diskStore.damaged() == [node])
    try await alice.syncAll()
    #expect(try alice.refused() == [.contentMissing])
  }
}
