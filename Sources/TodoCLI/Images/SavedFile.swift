import Glibc
import Pictures
import Sealing
import TodoCore

/// A file that an image is saved as.
struct SavedFile {
  let path: String

  /// What it is called until it is whole; in the same folder, so that it can be renamed.
  var draft: String { "\(folder)/.todo-\(getpid()).part" }

  private var folder: String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Complains about what is there. Nobody fetches a film to hear at its end that there is no place for it.
  func requireFree() throws {
    var status = stat()
    if lstat(path, &status) == 0 { throw Complaint.fileExists(path) }
  }

  /// Gives the draft its name. Without `force` not even a file that came meanwhile is replaced.
  func take(force: Bool) throws {
    var status = stat()
    let isThere = lstat(path, &status) == 0
    guard !isThere || [S_IFREG, S_IFLNK].contains(status.st_mode & S_IFMT) else { throw Complaint.fileExists(path) }
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
  private let draft: String?

  init(descriptor: Int32) { (self.descriptor, draft) = (descriptor, nil) }

  /// Makes a draft, in place of one that another try has left.
  init(draft: String) throws {
    unlink(draft)
    descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw Complaint.cannotSave(draft, errno) }
    self.draft = draft
  }

  func write(_ bytes: [UInt8]) throws {
    try Task.checkCancellation()
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw Complaint.cannotSave(draft ?? "standard output", errno)
      }
      rest = rest.dropFirst(count)
    }
  }

  /// Makes it last, and ends.
  func keep() throws {
    let code = fsync(descriptor) == 0 ? 0 : errno
    guard close(descriptor) == 0, code == 0 else { throw Complaint.cannotSave(draft ?? "", code == 0 ? errno : code) }
  }
}

extension Complaint {
  fileprivate static func fileExists(_ path: String) -> Complaint {
    Complaint(
      "file_exists", .cannotWrite, "'\(shortened(path))' is there already",
      hint: "name another file, or replace it with --force")
  }

  fileprivate static func cannotSave(_ path: String, _ code: Int32) -> Complaint {
    Complaint(
      "cannot_write", code == EIO ? .disk : .cannotWrite,
      "cannot write '\(shortened(path))': \(String(cString: strerror(code)))",
      hint: "look at the folder, or name another file")
  }
}
