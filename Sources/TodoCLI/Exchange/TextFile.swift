import Glibc

/// A file of text that somebody names.
struct TextFile {
  let path: String

  /// Of one that is read: it is held in memory, several times over.
  private static let limit = 64 << 20

  func bytes() throws -> [UInt8] {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
    guard descriptor >= 0 else { throw cannot("read", errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { break }
      guard count > 0 else {
        if errno == EINTR { continue }
        throw cannot("read", errno)
      }
      bytes += buffer[..<count]
      guard bytes.count <= Self.limit else {
        throw Complaint("too_long", .badData, "\(path) is longer than 64 MiB", hint: "split it")
      }
    }
    return bytes
  }

  func read() throws -> String {
    guard let text = String(validating: try bytes(), as: UTF8.self) else {
      throw Complaint(
        "not_utf8", .badData, "\(path) is not UTF-8", hint: "convert it first, for example with iconv -f latin1 -t utf8"
      )
    }
    return text
  }

  /// Complains about one that is there.
  func requireFree() throws {
    var facts = stat()
    if lstat(path, &facts) == 0 { throw isThere }
  }

  /// Makes the file, which only its owner can read; one that is there is left alone.
  func write(_ text: String) throws {
    let code = DurableFile(path: path).create(Array(text.utf8))
    if code == EEXIST { throw isThere }
    if code != 0 { throw cannot("write", code) }
  }

  private var isThere: Complaint {
    Complaint("file_exists", .cannotWrite, "\(path) is there already", hint: "choose another name, or remove it")
  }

  private func cannot(_ verb: String, _ code: Int32) -> Complaint {
    Complaint(
      "file", code == ENOENT && verb == "read" ? .notFound : code == EIO ? .disk : .cannotWrite,
      "cannot \(verb) \(path): \(String(cString: strerror(code)))", hint: "look at its name and its folder")
  }
}
