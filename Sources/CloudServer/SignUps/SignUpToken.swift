import Foundation
public import Signing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The token in a server's data folder: what lets somebody sign up who is not on the server's own machine.
public struct SignUpToken: Equatable, Sendable {
  /// Letters and digits that are read aloud without doubt.
  private static let letters = Array("abcdefghjkmnpqrstuvwxyz23456789".utf8)
  private static let length = 26

  /// As people copy it: 128 random bits.
  public let text: String
  /// True if it was made just now.
  public let isNew: Bool

  var bytes: SecretBytes { SecretBytes(Array(text.utf8)) }

  /// The file that holds it in its first line, readable by its owner only.
  public static func path(in folder: String) -> String { "\(folder)/sign-up-token" }

  /// Reads the token of a data folder; makes folder and token where they are not there. A server may be running in the folder.
  public init(in folder: String, _ entropy: any Entropy = SystemEntropy()) throws(StartFailure) {
    let path = Self.path(in: folder)
    try FolderLock.makePrivate(folder)
    if let text = try Self.read(path) {
      (self.text, isNew) = (text, false)
      return
    }
    let text = Self.draw(entropy)
    if try Self.keep(text, at: path, in: folder) {
      (self.text, isNew) = (text, true)
    } else if let text = try Self.read(path) {
      // Somebody else was faster.
      (self.text, isNew) = (text, false)
    } else {
      throw .tokenFileUnusable(path)
    }
  }

  /// The token in the first line of a file; nil where there is no such file.
  static func read(_ path: String) throws(StartFailure) -> String? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    guard let text = try? String(contentsOfFile: path, encoding: .utf8) else { throw .tokenFileUnusable(path) }
    let token = text.prefix { !$0.isNewline }
    guard !token.isEmpty else { throw .tokenFileUnusable(path) }
    return String(token)
  }

  /// Without bias: bytes beyond the last whole round of the letters are left out.
  private static func draw(_ entropy: any Entropy) -> String {
    var text: [UInt8] = []
    let end = 256 / letters.count * letters.count
    while text.count < length {
      for byte in entropy.bytes(length) where Int(byte) < end && text.count < length {
        text.append(letters[Int(byte) % letters.count])
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// Gives the file its name once all of it is there. False where there is one of that name.
  private static func keep(_ text: String, at path: String, in folder: String) throws(StartFailure) -> Bool {
    let draft = "\(path).\(getpid())"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw StartFailure(code: errno, folder) }
    defer { _ = unsafe unlink(draft) }
    let line = Array("\(text)\n".utf8)
    let isWritten =
      unsafe (write(descriptor, line, line.count) == line.count) && fchmod(descriptor, 0o600) == 0
      && fsync(descriptor) == 0
    let code = errno
    _ = close(descriptor)
    guard isWritten else { throw StartFailure(code: code, folder) }
    guard unsafe link(draft, path) == 0 else {
      if errno == EEXIST { return false }
      throw StartFailure(code: errno, folder)
    }
    try FolderLock.keepEntries(of: folder, folder)
    return true
  }
}
