import Glibc
import Pictures

/// A file that somebody wants to attach, read in bounded memory and time whatever stands at its path.
struct PictureFile {
  let path: String

  /// Without its folders; not safe for a terminal.
  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  /// All of it. A link is followed, as `cp` does: who names it means what it leads to. Nothing is asked of the path again after that, so what
  /// was opened is what is looked at and read.
  /// - Parameter reading: hears how many bytes were read, after each piece of them.
  func read(_ reading: (Int) -> Void = { _ in }) throws -> [UInt8] {
    // A pipe would be waited for, and a terminal could become ours.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else { throw Complaint.cannotRead(path, errno) }
    defer { close(descriptor) }
    let before = try status(descriptor)
    guard before.st_mode & S_IFMT == S_IFREG else { throw Complaint.notAFile(path, before.st_mode) }
    guard before.st_size > 0 else { throw Complaint.emptyFile(path) }
    guard before.st_size <= PictureLimits.fileSize else { throw PictureError.fileTooLarge }
    // One byte more than there is shows a file that grows.
    let bytes = try readAll(descriptor, atMost: Int(before.st_size) + 1, reading)
    let after = try status(descriptor)
    guard bytes.count == Int(before.st_size), after.st_size == before.st_size,
      after.st_mtim.tv_sec == before.st_mtim.tv_sec, after.st_mtim.tv_nsec == before.st_mtim.tv_nsec
    else { throw Complaint.fileChanged(path) }
    return bytes
  }

  private func status(_ descriptor: Int32) throws -> stat {
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Complaint.cannotRead(path, errno) }
    return status
  }

  private func readAll(_ descriptor: Int32, atMost limit: Int, _ reading: (Int) -> Void) throws -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(limit)
    var buffer = [UInt8](repeating: 0, count: min(limit, 1 << 20))
    while bytes.count < limit {
      let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - bytes.count))
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw Complaint.cannotRead(path, errno) }
      if count == 0 { break }
      bytes += buffer[..<count]
      reading(bytes.count)
    }
    return bytes
  }
}

/// What is no regular file, with its article.
func kindOfFile(_ mode: mode_t) -> String {
  switch mode & S_IFMT {
  case S_IFDIR: "a folder"
  case S_IFIFO: "a pipe"
  case S_IFSOCK: "a socket"
  default: "a device"
  }
}

extension Complaint {
  fileprivate static func cannotRead(_ path: String, _ code: Int32) -> Complaint {
    let isMissing = code == ENOENT || code == ENOTDIR || code == ELOOP
    return Complaint(
      "cannot_read", isMissing ? .notFound : code == EIO ? .disk : .badData,
      "cannot read '\(shortened(path))': \(String(cString: strerror(code)))", hint: "check the name and its permissions"
    )
  }

  fileprivate static func notAFile(_ path: String, _ mode: mode_t) -> Complaint {
    Complaint(
      "not_a_file", .badData, "'\(shortened(path))' is \(kindOfFile(mode)), not a file",
      hint: "name the file of a picture")
  }

  fileprivate static func emptyFile(_ path: String) -> Complaint {
    Complaint("empty_file", .badData, "'\(shortened(path))' is empty", hint: "name the file of a picture")
  }

  fileprivate static func fileChanged(_ path: String) -> Complaint {
    Complaint(
      "file_changed", .tryAgain, "'\(shortened(path))' changed while it was read",
      hint: "try again when it is whole; nothing was attached")
  }
}
