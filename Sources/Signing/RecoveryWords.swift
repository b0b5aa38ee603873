/// Why 24 words are not a root.
public enum WordsError: Error, Equatable, Sendable {
  /// Not 24 of them.
  case count(Int)
  /// This one, counted from 1, is not on the list.
  case unknownWord(Int)
  /// All are on the list, but not these together: one is another, or two are swapped.
  case checksum
}

/// The root as 24 words of BIP39 English (spec §2.1).
public struct RecoveryWords: Sendable {
  /// 24 lower-case words.
  public let words: [String]

  /// The words of a root.
  public init(root: RootKey) {
    let entropy = root.entropy.copied()
    let bits = (entropy + [sha256(entropy)[0]]).flatMap { byte in (0..<8).map { byte >> UInt8(7 - $0) & 1 } }
    words = stride(from: 0, to: bits.count, by: 11).map { start in
      WordList.words[bits[start..<start + 11].reduce(0) { $0 << 1 | Int($1) }]
    }
  }

  /// Reads words as people type them: any case, any white space.
  public init(text: String) throws(WordsError) {
    let words = text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() }
    guard words.count == 24 else { throw .count(words.count) }
    self.words = words
    _ = try entropy()
  }

  /// The root that the words stand for.
  public func root() throws(WordsError) -> RootKey { RootKey(entropy: try entropy()) }

  private func entropy() throws(WordsError) -> SecretBytes {
    var bits: [UInt8] = []
    for (index, word) in words.enumerated() {
      guard let value = WordList.words.firstIndex(of: word) else { throw .unknownWord(index + 1) }
      bits += (0..<11).map { UInt8(value >> (10 - $0) & 1) }
    }
    let bytes = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<start + 8].reduce(0) { $0 << 1 | $1 }
    }
    guard sha256(Array(bytes[..<32]))[0] == bytes[32] else { throw .checksum }
    return SecretBytes(Array(bytes[..<32]))
  }
}
