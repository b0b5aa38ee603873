import TodoCore

/// Documents that nobody would write: few fields, replicas, times and values, so that they collide.
enum Arbitrary {
  private static let times: [UInt64] = [0, 1, 2, 3, 4, .max - 1, .max]

  static func replica(_ number: Int) -> Replica {
    let bytes: [UInt8] =
      number < 3 ? Array(repeating: UInt8(number * 127), count: 8) : [0, 0, 0, 0, 0, 0, 0, UInt8(number & 255)]
    return Replica(bytes: bytes) ?? { preconditionFailure("8 bytes") }()
  }

  static func stamp(_ dice: inout Dice) -> Stamp {
    Stamp(time: times[dice.roll(times.count)], replica: replica(dice.roll(4)))
  }

  static func register(_ field: UInt32, _ dice: inout Dice) -> Register {
    var register = Register(
      field: field, value: [UInt8](repeating: UInt8(dice.roll(2) * 0x80), count: dice.roll(3)), stamp: stamp(&dice))
    // A field 9 of the register that no version knows yet: tag 0x48, one byte.
    if dice.roll(5) == 0 { register.unknown = [0x48, UInt8(dice.roll(3))] }
    return register
  }

  static func registers(_ fields: [UInt32], upTo count: Int, _ dice: inout Dice) -> [Register] {
    (0..<dice.roll(count + 1)).map { _ in register(fields[dice.roll(fields.count)], &dice) }
  }

  /// A few stamps; once in a while as many as a context holds, so that it has to forget some.
  static func context(_ dice: inout Dice) -> CausalContext {
    if dice.roll(400) == 0 { return crowd(&dice) }
    return CausalContext((0..<dice.roll(4)).map { _ in stamp(&dice) })
  }

  private static func crowd(_ dice: inout Dice) -> CausalContext {
    let from = dice.roll(3)
    let stamps = (0..<CausalContext.limit - 1 + dice.roll(3)).map { number in
      let number = UInt64(number + from)
      return Stamp(
        time: 1 + number % 5,
        replica: Replica(bytes: (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }) ?? replica(0))
    }
    return CausalContext(stamps + (0..<dice.roll(3)).map { _ in stamp(&dice) })
  }

  static func document(registers: [UInt32] = [1, 2, 5, 47], elements: [UInt32] = [16, 17, 48], _ dice: inout Dice)
    -> Document
  {
    Document(
      registers: Self.registers(registers, upTo: 4, &dice), elements: Self.registers(elements, upTo: 4, &dice),
      context: context(&dice), deleted: dice.roll(2) == 0 ? CausalContext() : context(&dice),
      unknown: dice.roll(3) == 0 ? [0x78, UInt8(dice.roll(3))] : [])
  }

  static func history(_ dice: inout Dice) -> History {
    History(registers([1, 2, 16, 17], upTo: dice.roll(10) == 0 ? 40 : 6, &dice))
  }

  static func versioned(_ dice: inout Dice) -> VersionedDocument {
    VersionedDocument(document(&dice), history: history(&dice))
  }

  /// A key that some version may have made, or the end of one.
  static func orderKey(_ dice: inout Dice) -> OrderKey {
    if dice.roll(3) == 0 { return OrderKey(time: Int64(dice.roll(4)) + 1_790_000_000_000) }
    let digits = Array("0Az".utf8)
    let length = [12, 13, 17, 20, OrderKey.limit][dice.roll(5)]
    let text = (1..<length).map { _ in digits[dice.roll(3)] } + [digits[1 + dice.roll(2)]]
    return OrderKey(moved: text) ?? OrderKey(time: 0)
  }
}
