import Testing

@testable import Pictures

/// Files that were made to harm whoever looks at them: refused with a reason, before a decoder sees them.
@Suite struct HostileTests {
  @Test(arguments: Sample.names) func cutOffAnywhereItIsNoPicture(name: String) throws {
    let bytes = try Sample.clean(name)
    for length in 0..<bytes.count {
      let fault = #expect(throws: PictureError.self, "\(length)") { try Picture(Array(bytes[..<length])) }
      #expect(length < 12 || fault == .truncated, "\(length)")
    }
  }

  /// What is cut off within a part whose length was put right, a decoder may see; it makes pixels of it or not.
  @Test(arguments: Sample.four) func pixelsThatAreCutOff(name: String) throws {
    let bytes = try Sample.clean(name)
    var decoded = 0
    for length in stride(from: bytes.count - 1, to: 60, by: -3) {
      var cut = Array(bytes[..<length])
      switch try Picture(bytes).kind {
      case .jpeg: cut += [0xFF, 0xD9]
      case .gif: cut += [0, 0x3B]
      case .webp: cut.replaceSubrange(4..<8, with: Part.little(length - 8))
      case .png:
        // Its pixels are in one chunk, after 33 bytes.
        guard length > 41, length < bytes.count - 16 else { continue }
        cut = Array(bytes[..<33]) + Part.pngChunk("IDAT", Array(bytes[41..<length])) + Part.pngChunk("IEND", [])
      }
      decoded += try look(cut) ? 1 : 0
    }
    #expect(name != "baseline.jpg" || decoded > 20)
  }

  /// Whether pixels came out. Whatever comes out has the size that was said, and is clean.
  private func look(_ bytes: [UInt8]) throws -> Bool {
    do {
      let picture = try Picture(bytes)
      let clean = try Picture(picture.withoutMetadata())
      #expect(clean.metadata.isEmpty || clean.metadata.allSatisfy { $0.kind == .exif })
      #expect((clean.kind, clean.width, clean.height) == (picture.kind, picture.width, picture.height))
      #expect(clean.withoutMetadata() == clean.bytes)
      guard picture.width * picture.height < 1 << 20 else { return false }
      let bitmap = try DirectDecoder().bitmap(of: picture, fitting: 64)
      #expect((bitmap.width, bitmap.height) == picture.size(fitting: 64))
      return true
    } catch {
      #expect(![.libraryMissing, .decoderEnded].contains(error))
      return false
    }
  }

  /// The places of a sample where its size stands, and how it is written there.
  private static func sized(_ name: String, _ width: Int, _ height: Int) throws -> [UInt8] {
    var bytes = try Sample.clean(name)
    func short(_ value: Int) -> [UInt8] { Array(Part.little(value).prefix(2)) }
    switch try Picture(bytes).kind {
    case .jpeg:
      let frame = try #require(bytes.indices.first { bytes[$0...].starts(with: [0xFF, 0xC0]) })
      bytes.replaceSubrange(frame + 5..<frame + 9, with: short(height).reversed() + short(width).reversed())
    case .png:
      let size = Part.big(width) + Part.big(height)
      bytes.replaceSubrange(8..<33, with: Part.pngChunk("IHDR", size + bytes[24..<29]))
    case .gif: bytes.replaceSubrange(6..<10, with: short(width) + short(height))
    case .webp:
      bytes.replaceSubrange(24..<30, with: Part.little(width - 1).prefix(3) + Part.little(height - 1).prefix(3))
    }
    return bytes
  }

  @Test(arguments: Sample.four) func bombsAreRefusedAtOnce(name: String) throws {
    for (width, height) in [(60_000, 60_000), (65_501, 1), (1, 65_501), (11_586, 11_586)] {
      let bomb = try Self.sized(name, width, height)
      // The quickest of several tries, so that a busy machine is no bomb.
      let times = (0..<5).map { _ in
        ContinuousClock().measure {
          #expect(throws: PictureError.tooManyPixels) { try Picture(bomb) }
        }
      }
      #expect(try #require(times.min()) < .milliseconds(50))
    }
    #expect(throws: PictureError.self) { try Picture(Self.sized(name, 0, 32)) }
  }

  /// Sizes that other parts of a file say: a GIF's frame, a WebP's pixels without a canvas.
  @Test func bombsWithin() throws {
    var gif = try Sample.bytes("still.gif")
    let frame = try #require(gif.indices.first { gif[$0...].starts(with: [0x2C, 0, 0, 0, 0]) })
    gif.replaceSubrange(frame + 5..<frame + 9, with: [0x60, 0xEA, 0x60, 0xEA])
    #expect(throws: PictureError.tooManyPixels) { try Picture(gif) }
    var webp = try Sample.bytes("lossless.webp")
    #expect(webp[20] == 0x2F)
    webp.replaceSubrange(21..<25, with: [0xFF, 0xFF, 0xFF, 0x0F])
    #expect(throws: PictureError.tooManyPixels) { try Picture(webp) }
    webp.replaceSubrange(21..<25, with: [0xFF, 0xFF, 0xFF, 0x2F])
    #expect(throws: PictureError.variantUnsupported) { try Picture(webp) }
  }

  @Test(arguments: Sample.four) func sizesThatAreNotTrue(name: String) throws {
    for (width, height) in [(64, 33), (65, 32), (63, 31), (1, 1), (1000, 1000)] {
      _ = try look(Self.sized(name, width, height))
    }
    // The canvas is not what its pixels are.
    #expect(throws: PictureError.damaged) { try Picture(Self.sized("alpha.webp", 64, 33)) }
    // A frame reaches beyond its canvas.
    #expect(throws: PictureError.damaged) { try Picture(Self.sized("animated.webp", 64, 31)) }
    #expect(throws: PictureError.pixelsDamaged) { try pixels(Self.sized("colours.png", 64, 33)) }
  }

  @Test func lengthsThatAreNotTrue() throws {
    func changed(_ name: String, _ place: Int, _ bytes: [UInt8]) throws -> [UInt8] {
      var file = try Sample.clean(name)
      file.replaceSubrange(place..<place + bytes.count, with: bytes)
      return file
    }
    for (name, place, length, fault) in [
      ("baseline.jpg", 4, [0xFF, 0xFF], PictureError.truncated), ("baseline.jpg", 4, [0, 1], .damaged),
      ("baseline.jpg", 4, [0, 0], .damaged), ("colours.png", 8, [0x7F, 0xFF, 0xFF, 0xFF], .truncated),
      ("colours.png", 8, [0xFF, 0xFF, 0xFF, 0xFF], .damaged), ("colours.png", 8, [0, 0, 0, 12], .damaged),
      ("alpha.webp", 4, [0xFF, 0xFF, 0xFF, 0xFF], .truncated), ("alpha.webp", 4, [0, 0, 0, 0], .damaged),
      ("alpha.webp", 16, [0xFF, 0xFF, 0xFF, 0x7F], .damaged), ("alpha.webp", 16, [9, 0, 0, 0], .damaged),
      ("lossy.webp", 16, [9, 0, 0, 0], .damaged), ("lossless.webp", 16, [2, 0, 0, 0], .damaged),
    ] as [(String, Int, [UInt8], PictureError)] {
      let file = try changed(name, place, length)
      #expect(throws: fault, "\(name) \(place) \(length)") { try Picture(file) }
    }
  }

  @Test func partsWithoutEnd() throws {
    let many = PictureLimits.parts + 1
    let jpeg = try Sample.clean("baseline.jpg")
    let comments = jpeg.inserting((0..<many).flatMap { _ in [0xFF, 0xFE, 0, 2] as [UInt8] }, at: 20)
    #expect(throws: PictureError.tooManyParts) { try Picture(comments) }
    let scan = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xDA]) })
    let scans =
      jpeg[..<scan] + (0...PictureLimits.scans).flatMap { _ in jpeg[scan..<(jpeg.count - 2)] } + jpeg.suffix(2)
    #expect(throws: PictureError.tooManyParts) { try Picture(Array(scans)) }
    let gif = try Sample.bytes("still.gif")
    let loops = gif.dropLast() + [UInt8](repeating: 0, count: many) + [0x3B]
    #expect(throws: PictureError.tooManyParts) { try Picture(Array(loops)) }
  }

  @Test func whatHardlyAnythingReads() throws {
    let jpeg = try Sample.clean("baseline.jpg")
    let frame = try #require(jpeg.indices.first { jpeg[$0...].starts(with: [0xFF, 0xC0]) })
    for (place, value) in [(1, 0xC3), (1, 0xC9), (1, 0xCA), (4, 12), (9, 2)] as [(Int, UInt8)] {
      var changed = jpeg
      changed[frame + place] = value
      #expect(throws: PictureError.variantUnsupported) { try Picture(changed) }
    }
    let critical = try Sample.bytes("colours.png").inserting(Part.pngChunk("CgBI", [1]), at: 33)
    #expect(throws: PictureError.variantUnsupported) { try Picture(critical) }
  }

  @Test func aFileThatIsTooLarge() {
    let many = [UInt8](repeating: 0xFF, count: PictureLimits.fileSize + 1)
    #expect(throws: PictureError.fileTooLarge) { try Picture(many) }
  }

  /// A picture that is an archive as well is none any more.
  @Test(arguments: Sample.names) func nothingFollowsThePicture(name: String) throws {
    let archive = Array("PK\u{3}\u{4}".utf8) + [UInt8](repeating: 0x55, count: 100) + Array("PK\u{5}\u{6}".utf8)
    let picture = try Picture(Sample.clean(name) + archive)
    #expect(picture.metadata.map(\.kind) == [.trailing] && picture.metadata[0].range.count == archive.count)
    #expect(picture.withoutMetadata() == (try Sample.clean(name)))
  }

  /// Whatever becomes of the bytes, there are pixels of the right size or a reason.
  @Test(arguments: Sample.names) func bitsThatChange(name: String) throws {
    let bytes = try Sample.bytes(name)
    var decoded = 0
    for seed in 1...200 as ClosedRange<UInt64> {
      var dice = Dice(seed)
      var changed = bytes
      for _ in 0..<dice.roll(1..<9) { changed[dice.roll(0..<changed.count)] = UInt8(dice.roll(0..<256)) }
      if dice.roll(0..<4) == 0 { changed.removeSubrange(dice.roll(0..<changed.count)...) }
      decoded += try look(changed) ? 1 : 0
    }
    #expect(decoded < 200)
  }
}
