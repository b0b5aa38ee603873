import Sealing
import Signing
import Testing

/// A file that changes while it is sealed is never sealed, and its key is never used again.
@Suite struct SealerTests {
  @Test(arguments: [1_500_000, 1_499_999, 1_048_576, 1, 0], [1, 2])
  func aSourceThatShrankIsRefused(actual: Int, hands: Int) throws {
    let size = actual == 1_500_000 ? actual + 1 : 1_500_000
    #expect(throws: FileSealError.sourceChanged) { try Self.seal(said: size, actual: actual, hands) }
  }

  @Test(arguments: [0, 1, 65_536, 1_048_576, 1_048_577])
  func aSourceThatGrewIsRefused(said: Int) throws {
    #expect(throws: FileSealError.sourceChanged) { try Self.seal(said: said, actual: said + 1, 2) }
    #expect(throws: FileSealError.sourceChanged) { try Self.seal(said: said, actual: said + 3_000_000, 2) }
  }

  /// A source that gives more than it was asked for does not know what it says.
  @Test func aSourceThatGivesMoreThanItWasAskedForIsRefused() throws {
    var source = Overflowing()
    var sink = MemorySink()
    #expect(throws: FileSealError.sourceChanged) {
      _ = try FileSealer(dataSize: 1000, SystemEntropy()).seal(&source, into: &sink)
    }
  }

  private static func seal(said: Int, actual: Int, _ hands: Int) throws {
    let sealer = try FileSealer(dataSize: UInt64(said), SystemEntropy())
    var source = MemorySource([UInt8](repeating: 1, count: actual), piece: 300_000)
    var sink = MemorySink()
    _ = try sealer.seal(&source, into: &sink, hands: hands)
  }

  /// Leaves are sealed in memory that was another leaf's before, by whoever is free: neither is to be seen in what comes out. With this size the
  /// last leaf is one byte and padding.
  @Test func howManyHandsSealIsNotToBeSeen() throws {
    let alone = try Sample(data: (32 << 20) + 1, hands: 1)
    for hands in [2, 5, 100] {
      #expect(isSame(try Sample(data: (32 << 20) + 1, piece: 50_000, hands: hands).bytes, alone.bytes))
    }
    var data = MemorySource(alone.section(.data))
    var opened = MemorySink()
    let opener = try alone.opener()
    try opener.data(from: &data, opener.leaves(alone.file.leaves), into: &opened)
    #expect(isSame(opened.bytes, alone.data))
  }

  @Test func whatSourceAndSinkThrowEndsIt() throws {
    func seal(_ source: some FileSource, _ sink: some FileSink) throws {
      var (source, sink) = (source, sink)
      _ = try FileSealer(dataSize: 5_000_000, SystemEntropy()).seal(&source, into: &sink)
    }
    #expect(throws: Unreadable.self) { try seal(Failing(calls: 2), MemorySink()) }
    let source = MemorySource([UInt8](repeating: 1, count: 5_000_000))
    #expect(throws: Unreadable.self) { try seal(source, Failing(calls: 2)) }
    #expect(throws: Never.self) { try seal(source, Failing(calls: 10)) }
  }

  @Test func sectionsHaveLimits() throws {
    let entropy = SystemEntropy()
    let zeros = { [UInt8](repeating: 0, count: $0) }
    #expect(throws: FileSealError.tooLarge) {
      _ = try FileSealer(metadata: zeros(65_537), dataSize: 0, entropy).layout
    }
    #expect(throws: FileSealError.tooLarge) {
      _ = try FileSealer(thumbnail: zeros((1 << 20) + 1), dataSize: 0, entropy).layout
    }
    #expect(throws: FileSealError.tooLarge) { _ = try FileSealer(dataSize: (1 << 40) + 1, entropy).layout }
    #expect(throws: FileSealError.tooLarge) { _ = try FileSealer(dataSize: .max, entropy).layout }
    #expect(try FileSealer(dataSize: 1 << 40, entropy).layout.leafCount == 1 << 20)
  }

  /// Two sealings of the same plaintext have nothing in common.
  @Test func everySealingHasAKeyAndAnIdOfItsOwn() throws {
    var files: [SealedFile] = []
    var bytes: [[UInt8]] = []
    for _ in 0..<2 {
      let sealer = try FileSealer(metadata: [1], dataSize: 4, SystemEntropy())
      var source = MemorySource([1, 2, 3, 4])
      var sink = MemorySink()
      files.append(try sealer.seal(&source, into: &sink))
      bytes.append(sink.bytes)
    }
    #expect(files[0].content != files[1].content && files[0].key.secret != files[1].key.secret)
    #expect(files[0].root != files[1].root)
    #expect(zip(bytes[0], bytes[1]).count { $0 == $1 } < 30)
  }
}

private struct Overflowing: FileSource {
  func read(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count + 1) }
}
