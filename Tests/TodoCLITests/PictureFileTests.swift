import Foundation
import Glibc
import Pictures
import Testing
import TodoCore

@testable import TodoCLI

/// What somebody attaches, and what is no picture: each is said at once, whatever it is.
@Suite(.timeLimit(.minutes(30))) final class PictureFileTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "todo-picture-\(UUID().uuidString)")
  private let samples = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Pictures")

  init() throws { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }

  deinit { try? FileManager.default.removeItem(at: folder) }

  private func path(_ name: String) -> String { folder.appending(path: name).path }

  private func write(_ bytes: [UInt8], as name: String = "file") throws -> PictureFile {
    try Data(bytes).write(to: folder.appending(path: name))
    return PictureFile(path: path(name))
  }

  private func sample(_ name: String) throws -> [UInt8] { try [UInt8](Data(contentsOf: samples.appending(path: name))) }

  /// Why a file was not read; long before it would wait for ever.
  private func complaint(_ file: PictureFile, _ reading: (Int) -> Void = { _ in }) throws -> Complaint {
    let start = ContinuousClock.now
    let error = try #require(throws: (any Error).self) { try file.read(reading) }
    #expect(ContinuousClock.now - start < .seconds(20))
    return Complaint(error)
  }

  @Test func aFileIsReadAsItIs() throws {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) }
    let file = try write(bytes, as: "a b.jpg")
    #expect(try file.read() == bytes)
    #expect(file.name == "a b.jpg")
  }

  @Test func aLinkLeadsToWhatItNames() throws {
    let file = try write([1, 2, 3])
    try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: file.path)
    #expect(try PictureFile(path: path("link")).read() == [1, 2, 3])
    try FileManager.default.createSymbolicLink(atPath: path("folder"), withDestinationPath: folder.path)
    #expect(try complaint(PictureFile(path: path("folder"))).kind == "not_a_file")
    try FileManager.default.createSymbolicLink(atPath: path("dangling"), withDestinationPath: "nowhere")
    try FileManager.default.createSymbolicLink(atPath: path("circle"), withDestinationPath: path("circle"))
    for name in ["dangling", "circle"] { #expect(try complaint(PictureFile(path: path(name))).exit == .notFound) }
  }

  @Test func whatIsNoFileIsNotWaitedFor() throws {
    try #require(mkfifo(path("pipe"), 0o600) == 0)
    let pipe = try complaint(PictureFile(path: path("pipe")))
    #expect(pipe.exit == .badData && pipe.message.hasSuffix("is a pipe, not a file"))
    #expect(try complaint(PictureFile(path: folder.path)).message.hasSuffix("is a folder, not a file"))
    #expect(try complaint(PictureFile(path: "/dev/zero")).message.hasSuffix("is a device, not a file"))
    #expect(try complaint(PictureFile(path: path("nowhere"))).exit == .notFound)
    #expect(try complaint(PictureFile(path: "")).exit == .notFound)
  }

  @Test func anEmptyFileIsNoPicture() throws { #expect(try complaint(write([])).kind == "empty_file") }

  @Test func aFileThatIsTooLargeIsNotRead() throws {
    let file = try write([1])
    try #require(truncate(file.path, off_t(PictureLimits.fileSize) + 1) == 0)
    #expect(try complaint(file) { _ in Issue.record("it was read") }.kind == "picture_too_large")
  }

  /// However much is added while it is read: not more is read than there was, and one byte.
  @Test func aFileThatGrowsIsSaidToHaveChanged() throws {
    let file = try write([UInt8](repeating: 7, count: 2_500_000))
    var most = 0
    let complaint = try complaint(file) { count in
      most = max(most, count)
      if let handle = FileHandle(forWritingAtPath: file.path), (try? handle.seekToEnd()) != nil {
        handle.write(Data(count: 1_000_000))
      }
    }
    #expect(complaint.kind == "file_changed" && complaint.exit == .tryAgain)
    #expect(most == 2_500_001)
  }

  @Test func aFileThatShrinksOrIsWrittenAnewIsSaidToHaveChanged() throws {
    let file = try write([UInt8](repeating: 7, count: 2_500_000))
    #expect(try complaint(file) { _ in truncate(file.path, 10) }.kind == "file_changed")
    let other = try write([UInt8](repeating: 7, count: 10))
    let before = try complaint(other) { _ in
      var times = [timespec(tv_sec: 1, tv_nsec: 0), timespec(tv_sec: 1, tv_nsec: 0)]
      utimensat(AT_FDCWD, other.path, &times, 0)
    }
    #expect(before.kind == "file_changed")
  }

  @Test func whatIsAttachedIsCleanAndSmall() throws {
    let file = try write(sample("baseline.jpg") + Array("and a secret".utf8), as: "sauce.jpg")
    let clean = try AttachedPicture(file, keepsMetadata: false, decoder: DirectDecoder())
    #expect(!String(decoding: clean.bytes, as: UTF8.self).contains("secret"))
    #expect(clean.facts == ImageFacts(mediaType: "image/jpeg", width: 64, height: 32, name: "sauce.jpg"))
    #expect(try Picture(clean.thumbnail).width == 64)
    #expect(clean.words.hasSuffix(", without what programs wrote into it"))
    let whole = try AttachedPicture(file, keepsMetadata: true, decoder: DirectDecoder())
    #expect(try whole.bytes == file.read())
    #expect(whole.words.hasSuffix(", with what programs wrote into it"))
    #expect(try Picture(whole.thumbnail).metadata.isEmpty)
  }

  /// A bomb: a few bytes that say they are 60,000 by 60,000 pixels. It is refused before anything decodes it.
  @Test func hostilePicturesAreRefused() throws {
    var bomb = try sample("colours.png")
    bomb.replaceSubrange(16..<24, with: [0, 0, 0xEA, 0x60, 0, 0, 0xEA, 0x60])
    let cases: [([UInt8], Set<String>)] = [
      (bomb, ["picture_too_large", "picture_damaged"]), (try sample("baseline.jpg").dropLast(100), ["picture_damaged"]),
      (Array("<svg xmlns='http://www.w3.org/2000/svg'/>".utf8), ["not_a_picture"]),
      (Array("II*\0".utf8) + [UInt8](repeating: 0, count: 100), ["picture_kind"]),
      ([0xFF, 0xD8, 0xFF] + [UInt8](repeating: 0, count: 1000), ["picture_damaged"]),
    ]
    for (bytes, kinds) in cases {
      let file = try write(bytes)
      let start = ContinuousClock.now
      let error = try #require(throws: (any Error).self) {
        try AttachedPicture(file, keepsMetadata: false, decoder: NoDecoder())
      }
      #expect(kinds.contains(Complaint(error).kind), "\(Complaint(error).kind)")
      #expect(ContinuousClock.now - start < .seconds(20))
    }
  }

  @Test func whatHasNoThumbnailIsNotAttached() throws {
    let file = try write(sample("baseline.jpg"))
    #expect(throws: PictureError.decoderEnded) {
      try AttachedPicture(file, keepsMetadata: false, decoder: NoDecoder())
    }
  }
}

private struct NoDecoder: PictureDecoder {
  func bitmap(of picture: Picture, fitting side: Int) throws(PictureError) -> Bitmap { throw .decoderEnded }
}
