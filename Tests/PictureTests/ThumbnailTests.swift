import Testing

@testable import Pictures

@Suite struct ThumbnailTests {
  /// What is seen at the four corners, by orientation.
  private static let seen: [Orientation: [Colour]] = [
    .upright: [.red, .green, .blue, .white], .mirrored: [.green, .red, .white, .blue],
    .upsideDown: [.white, .blue, .green, .red], .mirroredUpsideDown: [.blue, .white, .red, .green],
    .transposed: [.red, .blue, .green, .white], .turnedRight: [.blue, .red, .white, .green],
    .transverse: [.white, .green, .blue, .red], .turnedLeft: [.green, .white, .red, .blue],
  ]

  @Test(arguments: Orientation.allCases) func theOrientationIsApplied(orientation: Orientation) throws {
    let exif = Part.exif(orientation.rawValue)
    let jpeg = try Sample.clean("baseline.jpg")
      .inserting(Part.segment(0xE1, Array("Exif\0\0".utf8) + exif), at: 20)
    let png = try Sample.bytes("colours.png").inserting(Part.pngChunk("eXIf", exif), at: 33)
    let webp = Part.webp(try Sample.bytes("animated.webp")[12...] + Part.riffChunk("EXIF", exif))
    for bytes in [jpeg, png, webp] {
      for bytes in [bytes, try Picture(bytes).withoutMetadata()] {
        let picture = try Picture(bytes)
        #expect(picture.orientation == orientation)
        let isTurned = orientation.rawValue > 4
        #expect(picture.width == (isTurned ? 32 : 64) && picture.height == (isTurned ? 64 : 32))
        let thumbnail = try Picture(DirectDecoder().thumbnail(of: picture))
        #expect(thumbnail.width == picture.width && thumbnail.height == picture.height)
        #expect(thumbnail.orientation == .upright && thumbnail.metadata.isEmpty)
        #expect(try pixels(thumbnail.bytes).corners == Self.seen[orientation])
      }
    }
  }

  @Test(arguments: Sample.names) func transparencyDecidesTheKind(name: String) throws {
    let picture = try Picture(Sample.bytes(name))
    let thumbnail = try Picture(DirectDecoder().thumbnail(of: picture))
    let isClear = try pixels(picture.bytes).corners[3] == .nothing
    #expect(thumbnail.kind == (isClear ? .png : .jpeg))
    #expect(try pixels(thumbnail.bytes).corners == pixels(picture.bytes).corners)
    #expect(thumbnail.bytes.count < 1000)
  }

  @Test(arguments: [
    (1000, 500, 256, 128), (500, 1000, 128, 256), (257, 257, 256, 256), (3000, 1, 256, 1), (1, 3000, 1, 256),
    (256, 10, 256, 10),
  ])
  func itIsAsLargeAs256PixelsAllow(width: Int, height: Int, expectedWidth: Int, expectedHeight: Int) throws {
    let grey = try #require(
      Bitmap(width: width, height: height, pixels: [UInt8](repeating: 255, count: 4 * width * height)))
    let picture = try Picture(grey.encoded())
    #expect(picture.size(fitting: 256) == (expectedWidth, expectedHeight))
    let thumbnail = try Picture(DirectDecoder().thumbnail(of: picture))
    #expect(thumbnail.width == expectedWidth && thumbnail.height == expectedHeight)
  }

  /// Half of a pixel's neighbours shine through: its colour is that of the others, not darker.
  @Test func whatShinesThroughDoesNotDarken() throws {
    let row: [UInt8] = [255, 255, 255, 255, 0, 0, 0, 0]
    let stripes = try #require(
      Bitmap(width: 512, height: 4, pixels: (0..<1024).flatMap { _ in row }))
    let small = try DirectDecoder().bitmap(of: Picture(stripes.encoded()), fitting: 256)
    let pixel = Array(small.pixel(x: 100, y: 1))
    #expect(pixel[..<3].allSatisfy { $0 > 250 } && (100...155).contains(pixel[3]))
  }

  /// A frame that does not fill the picture stands where it stands.
  @Test func theFirstFrameStandsInItsPlace() throws {
    var gif = try Sample.bytes("transparent.gif")
    // The screen becomes four times as large, and the frame moves to its middle.
    gif.replaceSubrange(6..<10, with: [128, 0, 64, 0])
    let frame = try #require(gif.indices.first { gif[$0...].starts(with: [0x2C, 0, 0, 0, 0, 64, 0]) })
    gif.replaceSubrange(frame + 1..<frame + 5, with: [32, 0, 16, 0])
    let bitmap = try pixels(gif)
    #expect(bitmap.width == 128 && bitmap.height == 64)
    #expect(bitmap.corners == [.nothing, .nothing, .nothing, .nothing])
    #expect(Colour(bitmap.pixel(x: 33, y: 17)) == .red && Colour(bitmap.pixel(x: 94, y: 17)) == .green)
    let small = try DirectDecoder().bitmap(of: Picture(gif), fitting: 64)
    #expect(Colour(small.pixel(x: 17, y: 9)) == .red && small.width == 64)
  }
}
