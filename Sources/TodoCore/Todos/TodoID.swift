public import Signing
import Treesystem

/// A todo's permanent id, the same for every member: 16 bytes, written as 26 letters and digits of base32.
///
/// Its first characters are the short id that people type.
public struct TodoID: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// How many characters people see, where these tell it from others.
  public static let shortLength = 4
  /// The shortest beginning that refers to a todo.
  public static let shortestReference = 2

  /// The 26 characters.
  public let text: String
  public var description: String { text }

  /// Returns nil for anything that is not 16 bytes of base32.
  public init?(text: String) {
    guard let bytes = Base32.decode(text), bytes.count == 16 else { return nil }
    self.text = text
  }

  /// The id of a node that bears no id as its name: its cloudID.
  public init(_ cloudID: CloudID) { text = Base32.encode(cloudID.bytes) }

  /// True for a name that only todos have: an id, with a number behind it where a sibling bears the same (spec §7.11).
  static func isName(_ name: String) -> Bool {
    let parts = name.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard TodoID(text: String(parts[0])) != nil else { return false }
    return parts.count == 1 || parts[1].hasPrefix("(") && parts[1].hasSuffix(")")
  }

  /// The id of a node in the tree (spec §7.12).
  init(of node: Node, _ cloudID: CloudID) { self = TodoID(text: node.name) ?? TodoID(cloudID) }

  /// How often to look for a free beginning; where nearly all are taken, people see more than four characters.
  private static let draws = 100

  /// Draws until the first characters begin with a letter, hold a digit (so they are no word and no number) and are free.
  public static func draw(_ entropy: any Entropy, isFree: (_ short: String) throws -> Bool) rethrows -> TodoID {
    var drawn = 0
    while true {
      let text = Base32.encode(entropy.bytes(16))
      let short = text.prefix(shortLength)
      guard let first = short.first, first.isLetter, short.contains(where: \.isNumber) else { continue }
      drawn += 1
      if try drawn > draws || isFree(String(short)) { return TodoID(drawn: text) }
    }
  }

  init(drawn text: String) { self.text = text }

  /// As many characters as people see where these tell it from others.
  var short: String { String(text.prefix(Self.shortLength)) }

  public static func < (a: TodoID, b: TodoID) -> Bool { a.text < b.text }
}
