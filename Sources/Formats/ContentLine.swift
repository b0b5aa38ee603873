/// A line of iCalendar as libical understands it: of `DUE;TZID=Europe/Berlin:20261201T180000` the name, the value and some parameters.
struct ContentLine: Equatable {
  /// From 1: where it begins in the file.
  let number: Int
  /// In upper case; empty for what is no such line.
  let name: String
  /// A text without its backslashes, a duration as its days and seconds; empty for what cannot be read.
  let value: String
  /// Seconds that the clock of a time is ahead of UTC, where the calendar describes the time's zone itself.
  let offset: Int?
  /// Those of `wanted` that are there, without quotes.
  let parameters: [String: String]

  static let wanted = ["TZID", "RELTYPE", "X-TODO-DAY", "X-TODO-TIME"]
}

/// What was made of a file that may be hostile, by a process that may have been broken by it: so it is as little trusted as the file.
public struct ParsedCalendar: Sequence {
  /// Of each line the number, name, value, offset and `ContentLine.wanted`, each as text with a zero byte behind it.
  let bytes: [UInt8]

  /// Nil for what is no Unicode.
  init?(_ bytes: [UInt8]) {
    guard String(validating: bytes, as: UTF8.self) != nil else { return nil }
    self.bytes = bytes
  }

  public struct Iterator: IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 0

    fileprivate init(_ bytes: [UInt8]) { self.bytes = bytes }

    public mutating func next() -> Element? {
      guard position < bytes.count else { return nil }
      let texts = (0..<4 + ContentLine.wanted.count).map { _ in text() }
      let pairs = zip(ContentLine.wanted, texts[4...]).filter { !$0.1.isEmpty }
      let line = ContentLine(
        number: Int(texts[0]) ?? 0, name: texts[1].uppercased(), value: texts[2],
        offset: Int(texts[3]).flatMap { (-86_400...86_400).contains($0) ? $0 : nil },
        parameters: Dictionary(pairs) { first, _ in first })
      return Element(line: line)
    }

    private mutating func text() -> String {
      let end = bytes[position...].firstIndex(of: 0) ?? bytes.count
      defer { position = Swift.min(end + 1, bytes.count) }
      return String(bytes[position..<end])
    }
  }

  /// One line; what it says is for the reader of calendars.
  public struct Element { let line: ContentLine }

  public func makeIterator() -> Iterator { Iterator(bytes) }
}
