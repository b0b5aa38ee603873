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
    let code = DurableFile(path: path).replace(Array(changed.utf8))
    if code != 0 { throw cannot("write", code) }
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
