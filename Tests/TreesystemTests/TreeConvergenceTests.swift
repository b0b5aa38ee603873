import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// Whatever people make, write and delete while the network fails: in the end everybody has one tree, the server has the same,
/// and no word is lost that nobody deleted.
@Suite struct TreeConvergenceTests {
  @Test(arguments: 1...25)
  func threeDevicesEndWithOneTree(_ seed: Int) async throws {
    let trio = try await Trio("a", "a/b", "a/b/c", "d")
    var chance = Chance(SeededEntropy("tree \(seed)"))
    for step in 0..<40 {
      let device = trio.all[chance.roll(3)]
      try await act(device, &chance, step)
    }
    for device in trio.all { device.transport.setFate { _ in .delivered } }
    try await trio.settle()
    try await trio.settle()
    try trio.expectOneTree(nil, "seed \(seed)")
    for device in trio.all { #expect(try await device.sync().troubles.isEmpty) }
  }

  private func act(_ device: Device, _ chance: inout Chance, _ step: Int) async throws {
    let paths = try device.tree().map { String($0.prefix { $0 != ":" }) }
    let some = paths.isEmpty ? "" : paths[chance.roll(paths.count)]
    switch chance.roll(10) {
    case 0, 1:
      let parent = chance.roll(4) == 0 || some.count > 12 ? "" : some + "/"
      let name = ["x", "y", "z"][chance.roll(3)]
      if !paths.contains(parent + name) { try device.make(parent + name, "w\(step)") }
    case 2, 3, 4: if !some.isEmpty { try device.write("w\(step)", on: some) }
    case 5: if !some.isEmpty { try device.remove(some) }
    default:
      let entropy = chance.entropy
      device.transport.setFate { _ in
        switch entropy.bytes(1)[0] % 8 {
        case 0: .lost
        case 1: .replyLost
        default: .delivered
        }
      }
      do { try await device.sync() } catch CloudFailure.unreachable {}
    }
  }
}

/// Dice from a seed.
struct Chance {
  let entropy: SeededEntropy

  init(_ entropy: SeededEntropy) { self.entropy = entropy }

  mutating func roll(_ sides: Int) -> Int { Int(entropy.bytes(1)[0]) % sides }
}
