/// A place in an order, as text whose bytes sort (spec §7.6): a number in base 62, read as the digits after a point.
///
/// Whoever was never moved has the key of the time it was made, so that adding costs nothing. A moved one has a key
/// between its neighbours, of more digits and with chance in it, so that two people who move something to the same place
/// do not mean the very same one.
public struct OrderKey: Hashable, Comparable, Sendable {
  /// Of a key that is a time.
  static let timeLength = 11
  /// Of a moved one at first: six digits more divide a millisecond.
  static let movedLength = timeLength + 6
  /// Of the longest that is made or believed.
  package static let limit = 64
  /// How many digits a place that has become too narrow gets more.
  private static let moreDigits = 3
  /// What two people who mean the same place choose from.
  private static let stride = 62 * 62 * 62
  /// Into how many parts the room beside a neighbour is divided: many, so that most is left to those that follow, and not
  /// too many, so that there is still room on the other side.
  private static let share = 256

  private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

  /// The digits.
  public let text: String

  /// The place of what was made at this time.
  package init(time: Int64) {
    var rest = UInt64(max(0, time))
    var digits = [Int](repeating: 0, count: Self.timeLength)
    for index in digits.indices.reversed() {
      digits[index] = Int(rest % 62)
      rest /= 62
    }
    self.init(digits: digits)
  }

  /// A key of one that was moved; nil for bytes that no version makes, to which nothing could be added.
  package init?(moved bytes: [UInt8]) {
    guard bytes.count > Self.timeLength, bytes.count <= Self.limit, bytes.last != Self.alphabet[0],
      bytes.allSatisfy(Self.alphabet.contains)
    else { return nil }
    text = String(decoding: bytes, as: UTF8.self)
  }

  /// A key as a column holds it.
  init(column: String) { text = column }

  private init(digits: [Int]) { text = String(decoding: digits.map { Self.alphabet[$0] }, as: UTF8.self) }

  /// The time of a key that is one, and the time below which a moved one lies.
  var time: Int64 {
    let time = digits.prefix(Self.timeLength).reduce(UInt64(0)) { sum, digit in
      let (product, overflow) = sum.multipliedReportingOverflow(by: 62)
      return overflow ? .max : product &+ UInt64(digit)
    }
    return Int64(clamping: time)
  }

  public static func < (a: OrderKey, b: OrderKey) -> Bool { a.text.utf8.lexicographicallyPrecedes(b.text.utf8) }

  private var digits: [Int] {
    text.utf8.map { byte in
      switch byte {
      case 0x30...0x39: Int(byte) - 0x30
      case 0x41...0x5A: Int(byte) - 0x41 + 10
      default: Int(byte) - 0x61 + 36
      }
    }
  }
}

extension OrderKey {
  /// The neighbour that a new key comes close to. Beside the one that was put there last, the room that is left stays in
  /// one piece, so that many can follow; between two that lie there for long, in the middle.
  package enum Side: Sendable { case lower, upper, middle }

  /// A key strictly between two, or beyond one where the other is missing; nil where there is no room within the limit.
  package static func between(
    _ lower: OrderKey?, _ upper: OrderKey?, near side: Side, chance: UInt64
  ) -> OrderKey? {
    var length = max(movedLength, lower?.text.utf8.count ?? 0, upper?.text.utf8.count ?? 0)
    while length <= limit {
      // One digit before the point: beyond all keys stands 1.
      let from = lower.map { [0] + $0.digits(length) } ?? [Int](repeating: 0, count: length + 1)
      let to = upper.map { [0] + $0.digits(length) } ?? [1] + [Int](repeating: 0, count: length)
      let gap = distance(from, to)
      if gap > stride { return between(from, to, gap, side, chance) }
      if gap < 0 { return nil }
      length += moreDigits
    }
    return nil
  }

  private static func between(_ from: [Int], _ to: [Int], _ gap: Int, _ side: Side, _ chance: UInt64) -> OrderKey {
    // Two less than there is room for: one for the neighbour, one for the last digit, which may not be 0.
    let jitter = 1 + Int(chance % UInt64(stride - 2))
    let step = gap / share > stride ? gap / share + jitter : jitter
    var digits =
      switch side {
      case .lower: sum(from, step)
      case .upper: sum(to, -step)
      case .middle: sum(from, gap / 2 - stride / 2 + jitter)
      }
    if digits.last == 0 { digits = sum(digits, side == .upper ? -1 : 1) }
    return OrderKey(digits: Array(digits.dropFirst()))
  }

  private func digits(_ length: Int) -> [Int] {
    let digits = digits
    return digits + [Int](repeating: 0, count: length - digits.count)
  }

  /// How far apart two numbers are; what is far is far enough.
  private static func distance(_ from: [Int], _ to: [Int]) -> Int {
    let far = 1 << 48
    var distance = 0
    for (a, b) in zip(from, to) {
      distance = distance * 62 + b - a
      if distance > far { return far }
      if distance < 0 { return -1 }
    }
    return distance
  }

  private static func sum(_ digits: [Int], _ step: Int) -> [Int] {
    var digits = digits
    var carry = step
    for index in digits.indices.reversed() where carry != 0 {
      let value = digits[index] + carry
      let digit = ((value % 62) + 62) % 62
      digits[index] = digit
      carry = (value - digit) / 62
    }
    return digits
  }
}
