/// The lines of a calendar, put together again where they were folded: byte by byte, because some programs fold within a character
/// (RFC 5545 §3.1). Empty ones are left out.
struct UnfoldedLines: Sequence, IteratorProtocol {
  private var lines: Lines
  private var ahead: (number: Int, bytes: Bytes)?

  init(_ file: [UInt8]) {
    lines = Lines(file)
    ahead = lines.next()
  }

  mutating func next() -> (number: Int, bytes: Bytes)? {
    while ahead?.bytes.isEmpty == true { ahead = lines.next() }
    guard let (number, first) = ahead else { return nil }
    var whole = Array(first)
    ahead = lines.next()
    while let more = ahead?.bytes, more.first?.isBlank == true {
      whole += more.dropFirst()
      ahead = lines.next()
    }
    return (number, whole[...])
  }
}
