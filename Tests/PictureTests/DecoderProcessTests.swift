import Foundation
import Testing

@testable import Pictures

/// A decoder in a process of its own: the same pixels, and nothing that it does harms whoever asked.
@Suite struct DecoderProcessTests {
  /// The program, which stands beside these tests.
  private func todo() -> DecoderProcess {
    let tests = Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0])
    let program = tests.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "todo")
    return DecoderProcess(program: program.path, arguments: ["decode-picture"])
  }

  /// A child that does something else.
  private func shell(_ script: String) -> DecoderProcess {
    DecoderProcess(program: "/bin/sh", arguments: ["-c", "cat > /dev/null; \(script)"])
  }

  @Test(arguments: Sample.four) func itGivesTheSamePixels(name: String) throws {
    let exif = Part.segment(0xE1, Array("Exif\0\0".utf8) + Part.exif(6))
    let sample = try Sample.bytes(name)
    let picture = try Picture(name == "baseline.jpg" ? sample.inserting(exif, at: 20) : sample)
    for side in [16, 256] {
      #expect(try todo().bitmap(of: picture, fitting: side) == DirectDecoder().bitmap(of: picture, fitting: side))
    }
    #expect(try todo().thumbnail(of: picture) == DirectDecoder().thumbnail(of: picture))
  }

  @Test func aLargePictureGoesThrough() throws {
    var dice = Dice(1)
    let noise = (0..<4 * 900 * 900).map { $0 % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: dice.next()) }
    let picture = try Picture(try #require(Bitmap(width: 900, height: 900, pixels: noise)).encoded())
    #expect(picture.bytes.count > 1 << 18)
    #expect(try todo().bitmap(of: picture, fitting: 900) == DirectDecoder().bitmap(of: picture, fitting: 900))
  }

  @Test func damagedPixelsAreSaidToBe() throws {
    let whole = try Sample.bytes("colours.png")
    let damaged = Array(whole[..<33]) + Part.pngChunk("IDAT", [1, 2, 3]) + Part.pngChunk("IEND", [])
    #expect(throws: PictureError.pixelsDamaged) { try todo().bitmap(of: Picture(damaged), fitting: 256) }
  }

  @Test(arguments: [
    "exit 0", "exit 3", "exit 77", "kill -SEGV $$", "head -c 8191 /dev/zero", "head -c 8193 /dev/zero", "cat /dev/zero",
  ])
  func aChildThatBreaksIsNoPicture(script: String) throws {
    let picture = try Picture(Sample.bytes("colours.png"))
    #expect(throws: PictureError.decoderEnded) { try shell(script).bitmap(of: picture, fitting: 256) }
  }

  @Test func whatAChildSaysIsBelievedOnceItIsWhole() throws {
    let picture = try Picture(Sample.bytes("colours.png"))
    let black = try shell("head -c 8192 /dev/zero").bitmap(of: picture, fitting: 256)
    #expect(black.pixels == [UInt8](repeating: 0, count: 8192))
    #expect(throws: PictureError.libraryMissing) { try shell("exit 2").bitmap(of: picture, fitting: 256) }
    let nobody = DecoderProcess(program: "/nowhere/todo", arguments: [])
    #expect(throws: PictureError.decoderEnded) { try nobody.bitmap(of: picture, fitting: 256) }
  }

  /// Nobody's first picture fails for want of luck, however busy the machine is.
  @Test func noneFailsBesideBusyCores() async throws {
    let picture = try Picture(Sample.bytes("colours.png"))
    let statuses = await withTaskGroup(of: [Int32].self) { group in
      for _ in 0..<4 {
        group.addTask { (0..<25).map { _ in todo().answer(picture, fitting: 32).status ?? -1 } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
    #expect(statuses == Array(repeating: 0, count: 100))
  }

  /// One that died of a signal is asked again, once; one that took too long is not.
  @Test func aChildThatASignalEndsIsAskedAgain() throws {
    let picture = try Picture(Sample.bytes("colours.png"))
    let folder = FileManager.default.temporaryDirectory.appending(path: "again-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let first = "mkdir \(folder.path)/first 2> /dev/null"
    let unlucky = shell("if \(first); then kill -SEGV $$; fi; head -c 8192 /dev/zero")
    #expect(try unlucky.bitmap(of: picture, fitting: 256).pixels.count == 8192)
    let slow = shell("if mkdir \(folder.path)/slow 2> /dev/null; then kill -XCPU $$; fi; head -c 8192 /dev/zero")
    #expect(throws: PictureError.decoderEnded) { try slow.bitmap(of: picture, fitting: 256) }
  }

  /// One that does not even read leaves whoever asked alone, though the picture does not fit into the socket.
  @Test func aChildThatDoesNotReadIsNoPicture() throws {
    var dice = Dice(2)
    let noise = (0..<4 * 900 * 900).map { $0 % 4 == 3 ? 255 : UInt8(truncatingIfNeeded: dice.next()) }
    let picture = try Picture(try #require(Bitmap(width: 900, height: 900, pixels: noise)).encoded())
    let deaf = DecoderProcess(program: "/bin/sh", arguments: ["-c", "exit 0"])
    #expect(throws: PictureError.decoderEnded) { try deaf.bitmap(of: picture, fitting: 256) }
  }
}
