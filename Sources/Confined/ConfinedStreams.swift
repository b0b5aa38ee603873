private import Glibc

/// The two pipes of a confined process. They are not those of the language's runtime, which may start threads.
public enum ConfinedStreams {
  /// Everything that comes from standard input; nil for more than so many bytes, or where it cannot be read.
  public static func readAll(limit: Int) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while bytes.count <= limit {
      let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += buffer[..<count] } else if errno != EINTR { return nil }
    }
    return nil
  }

  /// Writes to standard output, and returns whether all of it went.
  public static func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }
}
