import Testing

@testable import Formats

/// The bytes of files that other programs wrote.
@Suite struct FileTextTests {
  private let text = "grün 🎉\n"

  @Test func everyFormOfUnicodeIsRead() {
    let units = Array(text.utf16)
    let scalars = text.unicodeScalars.map(\.value)
    func bytes(_ unit: UInt32, _ count: Int, isLittle: Bool) -> [UInt8] {
      let little = (0..<count).map { UInt8(truncatingIfNeeded: unit >> (8 * UInt32($0))) }
      return isLittle ? little : little.reversed()
    }
    for isLittle in [true, false] {
      let short = ([0xFEFF] + units.map { UInt32($0) }).flatMap { bytes($0, 2, isLittle: isLittle) }
      let long = ([0xFEFF] + scalars).flatMap { bytes($0, 4, isLittle: isLittle) }
      #expect(FileText.read(short) == text)
      #expect(FileText.read(long) == text)
      // Half of a unit is missing.
      #expect(FileText.read(Array(short.dropLast())) == nil)
      #expect(FileText.read(Array(long.dropLast())) == nil)
    }
    #expect(FileText.read(Array(text.utf8)) == text)
    #expect(FileText.read([0x67, 0xFC]) == nil)
    #expect(FileText.read([0xFF, 0xFE, 0x00, 0xD8]) == nil, "half of a pair")
    #expect(FileText.read([]) == "")
  }

  @Test func linesMayEndWithAReturnAlone() {
    #expect(FileText.read(Array("a\rb\r".utf8)) == "a\nb\n")
    #expect(FileText.read(Array("a\rb\r\n".utf8)) == "a\rb\r\n")
  }
}
