/// A piece of a file. The readers work on bytes: two characters that look alike, or belong together, are never the same byte.
typealias Bytes = ArraySlice<UInt8>

extension UInt8 {
  static let tab: UInt8 = 0x09
  static let lineFeed: UInt8 = 0x0A
  static let carriageReturn: UInt8 = 0x0D
  static let space: UInt8 = 0x20
  static let quote: UInt8 = 0x22
  static let hash: UInt8 = 0x23
  static let percent: UInt8 = 0x25
  static let plus: UInt8 = 0x2B
  static let comma: UInt8 = 0x2C
  static let minus: UInt8 = 0x2D
  static let colon: UInt8 = 0x3A
  static let semicolon: UInt8 = 0x3B
  static let equals: UInt8 = 0x3D
  static let at: UInt8 = 0x40
  static let bracket: UInt8 = 0x5B
  static let backslash: UInt8 = 0x5C
  static let closingBracket: UInt8 = 0x5D
  static let underscore: UInt8 = 0x5F
  static let brace: UInt8 = 0x7B
  static let closingBrace: UInt8 = 0x7D

  var isDigit: Bool { (0x30...0x39).contains(self) }
  var isBlank: Bool { self == .space || self == .tab }
  var isUppercase: Bool { (0x41...0x5A).contains(self) }
  var isLetter: Bool { isUppercase || (0x61...0x7A).contains(self) }

  /// What Markdown lets a backslash stand before.
  var isPunctuation: Bool {
    (0x21...0x2F).contains(self) || (0x3A...0x40).contains(self) || (0x5B...0x60).contains(self)
      || (0x7B...0x7E).contains(self)
  }

  /// The value of a hexadecimal digit.
  var hex: UInt8? {
    switch self {
    case 0x30...0x39: self - 0x30
    case 0x41...0x46: self - 0x41 + 10
    case 0x61...0x66: self - 0x61 + 10
    default: nil
    }
  }

  /// `%2B`
  var percentCode: [UInt8] { [.percent] + Self.hexDigits(Int(self), 2) }

  /// Hexadecimal digits with zeros before them.
  static func hexDigits(_ number: Int, _ count: Int) -> [UInt8] {
    let text = String(number, radix: 16, uppercase: true)
    return Array(repeating: 0x30, count: Swift.max(0, count - text.utf8.count)) + Array(text.utf8)
  }
}

extension Bytes {
  init(_ text: String) { self.init(text.utf8) }

  /// Without spaces and tabs at both ends.
  var trimmed: Bytes {
    var rest = drop(while: \.isBlank)
    while let last = rest.last, last.isBlank { rest.removeLast() }
    return rest
  }

  var isBlank: Bool { allSatisfy(\.isBlank) }

  func starts(with text: StaticString) -> Bool { starts(with: text.description.utf8) }

  /// The bytes as a number; nil for anything but one to nine digits.
  var number: Int? {
    guard (1...9).contains(count), allSatisfy(\.isDigit) else { return nil }
    return reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }
}

extension String {
  init(_ bytes: Bytes) { self.init(decoding: bytes, as: UTF8.self) }
}

/// The lines of a file with their numbers, from 1. A line ends with LF or CRLF; a byte order mark before the first is left out.
struct Lines: Sequence, IteratorProtocol {
  private let bytes: [UInt8]
  private var position: Int
  private var number = 0

  /// - Parameter isFile: whether a byte order mark may be before the first line; within a file it is a character like any other.
  init(_ text: String, isFile: Bool = true) { self.init(Array(text.utf8), isFile: isFile) }

  init(_ bytes: [UInt8], isFile: Bool = true) {
    self.bytes = bytes
    position = isFile && bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
  }

  mutating func next() -> (number: Int, bytes: Bytes)? {
    guard position < bytes.count else { return nil }
    let end = bytes[position...].firstIndex(of: .lineFeed) ?? bytes.count
    var line = bytes[position..<end]
    if line.last == .carriageReturn { line.removeLast() }
    position = end + 1
    number += 1
    return (number, line)
  }
}
