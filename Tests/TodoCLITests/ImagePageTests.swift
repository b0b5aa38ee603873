import CloudAPI
import Foundation
import Glibc
import Pictures
import Sealing
import Testing
import TodoCore
import Treesystem

@testable import TodoCLI

/// How images are named, saved and told.
struct ImagePageTests {
  @Test(arguments: [
    ("sauce.jpg", "sauce.jpg"), ("IMG 1.JPEG", "IMG 1.JPEG"), ("../../.ssh/authorized_keys", "authorized_keys.png"),
    (".bashrc", "bashrc.png"), ("-rf.png", "rf.png"), ("~x.gif", "x.gif"), ("Makefile", "Makefile.png"),
    ("a\u{1B}[2Jb.png", "a[2Jb.png"), ("photo\u{202E}gpj.exe", "photogpj.exe.png"), ("..", "k3fa.png"),
    ("", "k3fa.png"),
    ("/", "k3fa.png"), ("a\nb.webp", "a b.webp"), ("C:\\x\\y.png", "C:_x_y.png"), ("....png", "png.png"),
  ])
  func anImageIsSavedUnderASafeName(name: String, saved: String) {
    let facts = ImageFacts(mediaType: "image/png", width: 1, height: 1, name: name)
    #expect(SavedFile.name(of: facts, shortID: "k3fa") == saved)
  }

  @Test func aLongNameKeepsItsEnding() {
    let facts = ImageFacts(
      mediaType: "image/webp", width: 1, height: 1, name: String(repeating: "ö", count: 120) + ".webp")
    let name = SavedFile.name(of: facts, shortID: "k3fa")
    #expect(name.utf8.count <= 200 && name.hasSuffix("ö.webp"))
    #expect(SavedFile.name(of: nil, shortID: "k3fa") == "k3fa.jpg")
  }

  @Test func aFileThatIsThereStays() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "todo-save-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = SavedFile(path: folder.appending(path: "a.png").path)
    func draft(_ text: String) throws {
      let draft = try file.open()
      try draft.write(Array(text.utf8))
      try draft.keep()
    }
    func text() throws -> String { try String(contentsOfFile: file.path, encoding: .utf8) }
    try file.requireFree(force: false)
    try draft("one")
    try file.take(force: false)
    #expect(throws: Complaint.self) { try file.requireFree(force: false) }
    try file.requireFree(force: true)
    try draft("two")
    // Also where it came while the draft was written.
    let complaint = try #require(throws: Complaint.self) { try file.take(force: false) }
    #expect(complaint.kind == "file_exists" && complaint.exit == .cannotWrite)
    #expect(try text() == "one")
    try file.take(force: true)
    #expect(try text() == "two")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.png"])
    try draft("three")
    let pipe = SavedFile(path: folder.appending(path: "pipe").path)
    try #require(mkfifo(pipe.path, 0o600) == 0)
    #expect(throws: Complaint.self) { try pipe.take(force: true) }
    // What --force does not replace is not offered for it.
    let kind = try #require(throws: Complaint.self) { try pipe.requireFree(force: false) }
    #expect(kind.kind == "not_a_file" && !kind.hint.contains("--force"))
    let nowhere = SavedFile(path: folder.appending(path: "nowhere/a.png").path)
    #expect(throws: Complaint.self) { try nowhere.requireRoom() }
    try file.requireRoom()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().last == "pipe")
  }

  @Test func whatWasNotSignedIsSaidWithItsAuthor() {
    let complaint = Complaint(FileFault.contentMismatch, of: "the image", signedBy: "carol")
    #expect(complaint.exit == .notVerified)
    #expect(complaint.message == "the image is not what carol signed (content-mismatch)")
  }

  @Test func filesThatDidNotComeAreNoSuccess() throws {
    let missing = FileTrouble(reason: .contentMissing, todo: nil)
    let wrong = FileTrouble(reason: .contentMismatch, todo: nil)
    #expect(Complaint(SyncPage(report: SyncReport(), fileTroubles: [missing]))?.exit == .tryAgain)
    let complaint = try #require(Complaint(SyncPage(report: SyncReport(), fileTroubles: [wrong, missing])))
    #expect(complaint.exit == .notVerified)
    #expect(complaint.message == "an image did not come, nor 1 other (content-mismatch)")
  }

  @Test func whatLiesHereIsSaidInOneLine() {
    let limits = DiskLimits(pool: 25 << 20, expiry: 7 * 86_400_000)
    #expect(FileHoldings(persistent: 0, cached: 0, limits: limits, waiting: (0, 0)).words == nil)
    #expect(
      FileHoldings(persistent: 1_200_000, cached: 20_100_000, limits: limits, waiting: (2, 1_200_000)).words
        == "1.2 MB kept, 20.1 MB of 26.2 MB cached for 7 days, 2 to send (1.2 MB)")
  }

  @Test(arguments: [
    ("25M", 25 << 20), ("0", 0), ("1g", 1 << 30), ("500K", 500 << 10), ("1023", 1023), ("2048M", 2 << 30),
  ])
  func sizesAreReadAndWritten(text: String, bytes: Int64) throws {
    let size = try #require(ByteSize(text))
    #expect(size.bytes == bytes)
    #expect(ByteSize(size.text) == size)
  }

  @Test(arguments: ["", "M", "-1M", "1.5G", "1 M", "25MB", "٢M", "9999999999999999", "9000000T", "ten"])
  func otherSizesAreNone(text: String) { #expect(ByteSize(text) == nil) }

  @Test func settingsOfImagesAreRead() throws {
    let text = "image-cache = \"1G\"\nimage-cache-days = 7\nimage-after-upload = \"keep\""
    #expect(try Config(text: text).diskLimits == DiskLimits(pool: 1 << 30, expiry: 7 * 86_400_000))
    #expect(try Config(text: text).imageAfterUpload == .keep)
    #expect(try Config(text: "image-cache-days = -1").diskLimits == DiskLimits(pool: 25 << 20, expiry: -1))
    for wrong in [
      "image-cache = 25", "image-cache = \"25X\"", "image-cache-days = -2", "image-after-upload = \"burn\"",
    ] {
      #expect(throws: Complaint.self) { try Config(text: wrong) }
    }
  }

  @Test func progressSaysHowFastAFileGoes() throws {
    let start = ContinuousClock.now
    let begun = TransferPace(.up, done: 50_000_000, total: 200_000_000, at: start)
    #expect(begun.text == "sending 50.0 of 200.0 MB")
    // Parts that the server has already are told of at once.
    #expect(
      begun.going(.up, done: 90_000_000, total: 200_000_000, files: 1, at: start + .milliseconds(5))?
        .going(.up, done: 100_000_000, total: 200_000_000, files: 1, at: start + .seconds(10))?.text
        == "sending 100.0 of 200.0 MB, 1.0 MB/s, 2 min left")
    let soon = try #require(
      begun.going(.up, done: 60_000_000, total: 200_000_000, files: 1, at: start + .milliseconds(900)))
    #expect(soon.text == "sending 60.0 of 200.0 MB")
    // What was there before took no time here.
    let later = try #require(
      begun.going(.up, done: 100_000_000, total: 200_000_000, files: 1, at: start + .seconds(10)))
    #expect(later.text == "sending 100.0 of 200.0 MB, 5.0 MB/s, 20 s left")
    #expect(later.going(.up, done: 0, total: 200_000_000, files: 1, at: start) == nil)
    #expect(later.going(.down, done: 100_000_000, total: 200_000_000, files: 1, at: start) == nil)
    let long = TransferPace(.down, done: 0, total: 9_000_000_000, files: 3, at: start)
    #expect(
      long.going(.down, done: 10_000_000, total: 9_000_000_000, files: 3, at: start + .seconds(10))?.text
        == "fetching 10.0 of 9000.0 MB, 1.0 MB/s, 2 h left, 2 more to go")
  }

  @Test func aSmallCopyGetsTheRoomThatItHasPixelsFor() {
    var terminal = Terminal(isTerminal: true, columns: 200, rows: 60, cell: (10, 20))
    #expect(terminal.room(.sixel, isFull: false).side <= 256)
    #expect(terminal.room(.sixel, isFull: true).side == 2000)
    #expect(terminal.room(.symbols(.all), isFull: false).columns == 80)
    terminal.cell = nil
    (terminal.columns, terminal.rows) = (1, 1)
    #expect(terminal.room(.symbols(.all), isFull: false).rows == 1)
  }
}
