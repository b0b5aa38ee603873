import Foundation
import Signing
import Synchronization

/// The same bytes for the same seed.
final class SeededEntropy: Entropy {
  private let seed: String
  private let drawn = Mutex(0)

  init(_ seed: String) { self.seed = seed }

  func bytes(_ count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      let number = drawn.withLock { number in
        number += 1
        return number
      }
      bytes += digest(.record, Array("\(seed) \(number)".utf8), length: 32)
    }
    return Array(bytes.prefix(count))
  }
}

/// Bends encoded protocol messages without knowing what they mean: one field, at any depth, gets a value at an end of what it can be.
struct WireMutation {
  /// Counters at and around the places where an integer type ends.
  private static let ends: [UInt64] = [
    0, 1, 1 << 31, (1 << 31) - 1, 1 << 32, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 63) - 1, 1 << 63, .max - 1,
    .max,
  ]

  let entropy: any Entropy

  /// One field of a message. `bytes` is what follows its tag and, of a text or message, its length.
  private struct Field {
    var number: UInt64
    var type: UInt64
    var bytes: [UInt8]
  }

  func roll(_ count: Int) -> Int { Int(entropy.bytes(4).reduce(0) { $0 << 8 | UInt32($1) } % UInt32(max(1, count))) }

  /// A message that differs from another in one place. What is no message gets some of its bytes turned.
  func bent(_ message: [UInt8]) -> [UInt8] {
    guard var fields = Self.fields(of: message), !fields.isEmpty else { return turned(message) }
    let index = roll(fields.count)
    switch roll(12) {
    case 0: fields.remove(at: index)
    case 1: fields.insert(fields[index], at: index)
    case 2: fields.append(Field(number: UInt64(1 + roll(600)), type: 2, bytes: entropy.bytes(roll(2000))))
    case 3: return turned(message)
    default: fields[index] = bent(fields[index])
    }
    return fields.flatMap(Self.encoded)
  }

  private func bent(_ field: Field) -> Field {
    var field = field
    switch field.type {
    case 0: field.bytes = Self.varint(Self.ends[roll(Self.ends.count)])
    case 1, 5: field.bytes = entropy.bytes(field.bytes.count)
    default:
      switch roll(6) {
      case 0: field.bytes = []
      case 1: field.bytes += entropy.bytes(1)
      case 2: field.bytes = entropy.bytes([1, 15, 16, 17, 20, 32, 64, 300, 70_000][roll(9)])
      case 3: field.bytes = entropy.bytes(field.bytes.count)
      default: field.bytes = bent(field.bytes)
      }
    }
    return field
  }

  private func turned(_ bytes: [UInt8]) -> [UInt8] {
    if bytes.isEmpty { return entropy.bytes(roll(40)) }
    var bytes = bytes
    for _ in 0...roll(3) { bytes[roll(bytes.count)] ^= UInt8(1 << roll(8)) }
    return roll(4) == 0 ? Array(bytes.prefix(roll(bytes.count))) : bytes
  }

  // MARK: the encoding (https://protobuf.dev/programming-guides/encoding)

  private static func fields(of message: [UInt8]) -> [Field]? {
    var rest = message[...]
    var fields: [Field] = []
    while !rest.isEmpty {
      guard let tag = readVarint(&rest), tag >> 3 > 0 else { return nil }
      guard let bytes = value(of: tag & 7, &rest) else { return nil }
      fields.append(Field(number: tag >> 3, type: tag & 7, bytes: bytes))
    }
    return fields
  }

  private static func value(of type: UInt64, _ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    let count: Int
    switch type {
    case 0: return readVarint(&rest).map(varint)
    case 1: count = 8
    case 5: count = 4
    case 2:
      guard let length = readVarint(&rest), length <= UInt64(rest.count) else { return nil }
      count = Int(length)
    default: return nil
    }
    guard rest.count >= count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  private static func readVarint(_ rest: inout ArraySlice<UInt8>) -> UInt64? {
    var value: UInt64 = 0
    for shift in stride(from: UInt64(0), to: 64, by: 7) {
      guard let byte = rest.popFirst() else { return nil }
      value |= UInt64(byte & 0x7F) << shift
      if byte & 0x80 == 0 { return value }
    }
    return nil
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    var (value, bytes) = (value, [UInt8]())
    while value >= 0x80 {
      bytes.append(UInt8(value & 0x7F) | 0x80)
      value >>= 7
    }
    return bytes + [UInt8(value)]
  }

  private static func encoded(_ field: Field) -> [UInt8] {
    let length = field.type == 2 ? varint(UInt64(field.bytes.count)) : []
    return varint(field.number << 3 | field.type) + length + field.bytes
  }
}
