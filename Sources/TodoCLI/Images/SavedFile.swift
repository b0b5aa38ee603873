import Glibc
import Pictures
import Sealing
import TodoCore

/// A file that an image is saved as.
struct SavedFile {
  let path: String

  /// Without its folder.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// What it is called until it is whole; in the same folder, so that it can be renamed.
  var draft: String { "\(folder)/.todo-\(getpid()).part" }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Complains about what is there. Nobody fetches a film to hear at its end that there is no place for it.
  func requireFree(force: Bool) throws {
    guard try isTaken() else { return }
    if !force { throw Complaint.fileExists(path) }
  }

  /// Complains about a folder in which no file can be made.
  func requireRoom() throws {
    try open().drop()
    unlink(draft)
  }

  /// Begins the draft, in place of one that another try has left.
  func open() throws -> OpenFile { try OpenFile(draft: draft, of: path) }

  /// Whether there is something that another file may replace; complains about anything else.
  private func isTaken() throws -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0 else {
      guard errno == ENOENT else { throw Complaint.cannotSave(path, errno) }
      return false
    }
    guard [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else {
      throw Complaint.notReplaceable(path, kindOfFile(status.st_mode))
    }
    return true
  }

  /// Gives the draft its name. Without `force` not even a file that came meanwhile is replaced.
  func take(force: Bool) throws {
    let isThere = try isTaken()
    if !force {
      if link(draft, path) == 0 {
        unlink(draft)
        return
      }
      // Not every file system knows a second name for a file.
      guard [EPERM, EOPNOTSUPP, EMLINK, ENOSYS].contains(errno), !isThere else {
        throw errno == EEXIST ? Complaint.fileExists(path) : Complaint.cannotSave(path, errno)
      }
    }
    guard rename(draft, path) == 0 else { throw Complaint.cannotSave(path, errno) }
  }

  /// What an image is called where nobody said it: as the file that it came from, as far as that is safe, with the ending of a picture. Somebody
  /// else chose that name: it names no folder, hides nothing, is no option, and nothing that a program would run.
  static func name(of facts: ImageFacts?, shortID: String) -> String {
    let kind = PictureKind.allCases.first { $0.mediaType == facts?.mediaType } ?? .jpeg
    let last = facts?.name.split(separator: "/").last.map(String.init) ?? ""
    var name = String(harmless(last).replacing("\\", with: "_").drop { ".-~ ".contains($0) })
    while let end = name.last, ". ".contains(end) { name.removeLast() }
    let endings = ["jpg", "jpeg", "png", "gif", "webp"]
    let isPicture = endings.contains { name.lowercased().hasSuffix(".\($0)") }
    let ending = isPicture ? "" : ".\(kind.fileExtension)"
    if name.isEmpty { name = shortID }
    // File systems take 255 bytes; the end says what it is.
    while name.utf8.count + ending.utf8.count > 200 { name.removeFirst() }
    return String(name.drop { ".-~ ".contains($0) }) + ending
  }
}

/// A file that is written from its first byte to its last.
struct OpenFile: FileSink {
  private let descriptor: Int32
  /// As people know it.
  private let name: String

  init(descriptor: Int32) { (self.descriptor, name) = (descriptor, "standard output") }

  /// Makes a draft of the file at `path`.
  fileprivate init(draft: String, of path: String) throws {
    unlink(draft)
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Complaint.cannotSave(path, errno) }
    name = path
  }

  func write(_ bytes: [UInt8]) throws {
    try Task.checkCancellation()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EPIPE { throw ReaderGone() }
      guard count > 0 else {
        throw Complaint.cannotSave(name, errno)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Ends, whatever becomes of it.
  func drop() { close(descriptor) }

  /// Makes it last, and ends.
  func keep() throws {
    let code = fsync(descriptor) == 0 ? 0 : errno
    guard close(descriptor) == 0, code == 0 else { throw Complaint.cannotSave(name, code == 0 ? errno : code) }
  }
}

/// Whoever read what is written has seen enough, and nobody has to be told.
struct ReaderGone: Error {}

extension Complaint {
  fileprivate static func fileExists(_ path: String) -> Complaint {
    Complaint(
      "file_exists", .cannotWrite, "'\(shortened(path))' is there already",
      hint: "name another file, or replace it with --force")
  }

  fileprivate static func notReplaceable(_ path: String, _ kind: String) -> Complaint {
    Complaint(
      "not_a_file", .cannotWrite, "'\(shortened(path))' is \(kind), not a file",
      hint: "name another file; '-' writes to standard output")
  }

  fileprivate static func cannotSave(_ path: String, _ code: Int32) -> Complaint {
    Complaint(
      "cannot_write", code == EIO ? .disk : .cannotWrite,
      "cannot write '\(shortened(path))': \(String(cString: strerror(code)))",
      hint: "look at the folder, or name another file")
  }
}
