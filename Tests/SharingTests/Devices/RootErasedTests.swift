import CloudAPI
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

/// Whether the device that made the account still has the recovery words, the others hear from it.
@Suite struct RootErasedTests {
  private let world: World
  private let laptop: Device
  private let phone: Device
  private let first: DeviceID

  init() async throws {
    world = try World(seed: "root erased")
    laptop = try await world.person("alice")
    phone = try await laptop.second("phone", "alice", in: world)
    first = try laptop.database.read { try $0.requireAccount().device }
  }

  private func isErased(on device: Device) throws -> Bool { try device.database.read { try $0.hasErasedRoot(first) } }

  @Test func theOthersHearThatItIsGone() async throws {
    #expect(try !isErased(on: phone))
    // The laptop sees that the words were used elsewhere, and says so with the next sync.
    try await laptop.sync()
    #expect(try laptop.database.read { try $0.root() } == nil)
    #expect(try !isErased(on: laptop))
    try await laptop.sync()
    try await phone.sync()
    #expect(try isErased(on: phone) && isErased(on: laptop))
    // Once is enough, and nobody else has anything to say.
    for device in [phone, laptop] { #expect(try await device.sync().sent == 0) }
  }

  @Test func aLaptopThatWasEndedBeforeSaysNothing() async throws {
    try await phone.session.endDevice(first, withAdded: false)
    try await phone.sync()
    await #expect(throws: CloudFailure.self) { try await laptop.sync() }
    try await phone.sync()
    #expect(try !isErased(on: phone))
    let device = try #require(try phone.database.read { try $0.devices().first })
    #expect(device.id == first)
    #expect(device.endedBy == (try phone.database.read { try $0.requireAccount().device }))
  }
}
