import Testing

@testable import Pictures

/// What a file is, its bytes say.
@Suite struct RecognitionTests {
  @Test(arguments: Sample.names) func everySampleIsWhatItIs(name: String) throws {
    let picture = try Picture(Sample.bytes(name))
    #expect(picture.kind.fileExtension == String(name.split(separator: ".")[1]))
    #expect(picture.width == 64 && picture.height == 32 && picture.orientation == .upright)
    #expect(!picture.hasLocation && !picture.hasCamera)
    let isClear = ["palette.png", "alpha.png", "transparent.gif", "alpha.webp"].contains(name)
    #expect(try pixels(picture.bytes).corners == [.red, .green, .blue, isClear ? .nothing : .white])
  }

  @Test(arguments: [
    "", "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0", "hello", "GIF", "GIF88a----------", "RIFF----WAVE", "%PDF-1.7",
    "<svg xmlns=", "BMiddle of nowhere",
  ])
  func whatIsNoPictureSaysSo(text: String) {
    #expect(throws: PictureError.notAPicture) { try Picture(Array(text.utf8)) }
  }

  @Test(arguments: ["----ftypheic----", "----ftypmif1----", "----ftypavif----", "MM\0*----", "II*\0----"])
  func kindsThatAreKnownByNameSaySo(text: String) {
    #expect(throws: PictureError.kindUnsupported) { try Picture(Array(text.utf8)) }
    let bitmap = Array("BM".utf8) + Part.little(26) + [UInt8](repeating: 0, count: 20)
    #expect(throws: PictureError.kindUnsupported) { try Picture(bitmap) }
  }

  @Test func aFilmIsNoPicture() {
    #expect(throws: PictureError.notAPicture) { try Picture(Array("----ftypisom----".utf8)) }
  }
}
