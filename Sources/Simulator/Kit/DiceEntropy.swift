import Signing

/// The chance of one simulated process. Only the simulation's one thread draws from it.
final class DiceEntropy: Entropy, @unchecked Sendable {
  private var dice: Dice

  init(_ seed: UInt64) { dice = Dice(seed) }

  func begin(_ seed: UInt64) { dice = Dice(seed) }

  func bytes(_ count: Int) -> [UInt8] {
    var output: [UInt8] = []
    output.reserveCapacity(count + 8)
    while output.count < count {
      let word = dice.next()
      for shift in stride(from: UInt64(0), to: 64, by: 8) { output.append(UInt8(truncatingIfNeeded: word >> shift)) }
    }
    output.removeLast(output.count - count)
    return output
  }
}
