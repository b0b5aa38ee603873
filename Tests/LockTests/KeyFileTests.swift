import Sealing
import Signing
import Testing

/// A passphrase opens its file, and nothing else does (spec §9.2).
struct KeyFileTests {
  private let key = DatabaseKey(SystemEntropy())

  private func file(_ passphrase: String, _ cost: PassphraseCost = .floor) throws -> KeyFile {
    try KeyFile(key, under: Passphrase(Array(passphrase.utf8)), cost: cost, SystemEntropy())
  }

  @Test func thePassphraseOpensIt() throws {
    let file = try KeyFile(encoded: file("correct horse").encoded)
    let opened = try file.open(Passphrase(Array("correct horse".utf8)))
    #expect(opened.id == key.id && opened.secret == key.secret)
    #expect(throws: KeyFileError.keyUnopenable) { try file.open(Passphrase(Array("correct horsf".utf8))) }
    #expect(throws: KeyFileError.keyUnopenable) { try file.open(Passphrase(Array("correct horse ".utf8))) }
  }

  /// Every byte counts: what is not refused for what it says does not open.
  @Test func aChangedFileIsRefused() throws {
    let good = try file("correct horse").encoded
    let passphrase = try Passphrase(Array("correct horse".utf8))
    for position in [0, 16, 17, 32, 33, 48, 57, 80, 81, 128] {
      var bytes = good
      bytes[position] ^= 1
      #expect(throws: KeyFileError.self, "byte \(position)") { try KeyFile(encoded: bytes).open(passphrase) }
    }
    for bytes in [[], Array(good.dropLast()), good + [0]] {
      #expect(throws: KeyFileError.malformed) { try KeyFile(encoded: bytes) }
    }
  }

  @Test(arguments: [
    (PassphraseCost(passes: 2, memory: 65_536), KeyFileError.costTooLow),
    (PassphraseCost(passes: 3, memory: 65_535), .costTooLow), (PassphraseCost(passes: 0, memory: 0), .costTooLow),
    (PassphraseCost(passes: 17, memory: 65_536), .costTooHigh),
    (PassphraseCost(passes: 3, memory: 4_194_305), .costTooHigh),
    (PassphraseCost(passes: .max, memory: .max), .costTooHigh),
  ])
  func aCostThatIsNotOursIsNotPaid(cost: PassphraseCost, error: KeyFileError) throws {
    #expect(throws: error) { try file("correct horse", cost) }
    var bytes = try file("correct horse").encoded
    for index in 0..<4 {
      bytes[49 + index] = UInt8(truncatingIfNeeded: cost.passes >> UInt32(24 - 8 * index))
      bytes[53 + index] = UInt8(truncatingIfNeeded: cost.memory >> UInt32(24 - 8 * index))
    }
    #expect(throws: error) { try KeyFile(encoded: bytes) }
  }

  @Test func whatIsWrittenCostsMoreThanTheLeast() {
    #expect(PassphraseCost.standard.memory >= 4 * PassphraseCost.floor.memory)
    #expect(PassphraseCost.standard.passes >= PassphraseCost.floor.passes)
  }

  @Test(arguments: [
    ("", PassphraseError.empty), ("         ", .empty), ("1234567", .short), ("ärger€€", .short),
    (String(repeating: "x", count: 1025), .long), ("12345678\0", .notText),
  ])
  func aPassphraseThatIsNoneIsRefused(text: String, error: PassphraseError) {
    #expect(throws: error) { try Passphrase(Array(text.utf8)) }
  }

  @Test func aPassphraseIsText() throws {
    #expect(throws: PassphraseError.notText) { try Passphrase([UInt8](repeating: 0xFF, count: 12)) }
    for text in ["12345678", "ärgerlich", String(repeating: "x", count: 1024)] { _ = try Passphrase(Array(text.utf8)) }
  }
}
