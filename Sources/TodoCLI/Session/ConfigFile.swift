import Glibc

/// `config.toml` in the folder of the profiles.
struct ConfigFile {
  let path: String

  /// The settings; the defaults where there is no file.
  func read() throws(Complaint) -> Config { try Config(text: text(), path: path) }

  /// Changes one setting, all at once: a file that was half written would stop every command.
  func write(_ key: Config.Key, _ value: ConfigValue) throws(Complaint) {
    let changed = Config.text(try text(), setting: key, to: value)
    _ = try Config(text: changed, path: path)
    // Where it is a link, what it leads to is the file.
    let target = Self.target(of: path)
    var facts = stat()
    let isThere = stat(target, &facts) == 0
    if isThere, access(target, W_OK) != 0 { throw cannot("write", errno) }
    let code = DurableFile(path: target).replace(Array(changed.utf8))
    if code != 0 { throw cannot("write", code) }
    if isThere { chmod(target, facts.st_mode & 0o777) }
  }

  /// Where a link leads, also one that leads to nothing yet.
  private static func target(of path: String) -> String {
    var path = path
    for _ in 0..<40 {
      var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
      let count = readlink(path, &bytes, bytes.count)
      guard count > 0 else { break }
      let target = String(decoding: bytes[..<count].map(UInt8.init(bitPattern:)), as: UTF8.self)
      path = target.hasPrefix("/") ? target : path[..<(path.lastIndex(of: "/") ?? path.startIndex)] + "/" + target
    }
    return path
  }

  private func text() throws(Complaint) -> String {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return "" }
      throw cannot("read", errno)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 64 * 1024)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { throw cannot("read", errno) }
    guard count < bytes.count, let text = String(validating: bytes[..<count], as: UTF8.self) else {
      throw Complaint("config", .badData, "\(path) is no text of a few lines", hint: "correct it, or remove it")
    }
    return text
  }

  private func cannot(_ verb: String, _ code: Int32) -> Complaint {
    Complaint(
      "config", code == EIO ? .disk : .cannotWrite, "cannot \(verb) \(path): \(String(cString: strerror(code)))",
      hint: "look at the file and its folder")
  }
}
