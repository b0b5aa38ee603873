import Glibc

/// The little of TCP on this machine that a fake server takes. Calls that wait, for a thread of their own.
enum Socket {
  /// Listens; port 0 picks a free one.
  static func listen(_ port: UInt16) throws(FakeServer.Failure) -> Int32 {
    let descriptor = try open()
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    let isBound = onLoopback(port) { bind(descriptor, $0, $1) } == 0
    guard isBound, Glibc.listen(descriptor, 16) == 0 else { throw .socket(errno) }
    return descriptor
  }

  /// Connects to a port.
  static func connect(_ port: UInt16) throws(FakeServer.Failure) -> Int32 {
    let descriptor = try open()
    guard onLoopback(port, { Glibc.connect(descriptor, $0, $1) }) == 0 else { throw .socket(errno) }
    return descriptor
  }

  /// Where a socket listens.
  static func port(of descriptor: Int32) -> UInt16 {
    var address = sockaddr_in()
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    withUnsafeMutablePointer(to: &address) {
      _ = $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return UInt16(bigEndian: address.sin_port)
  }

  /// The next bytes; nil at the end.
  static func read(_ descriptor: Int32) -> [UInt8]? {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = Glibc.read(descriptor, &buffer, buffer.count)
    return count > 0 ? Array(buffer[..<count]) : nil
  }

  /// Writes all of it, or says that nobody reads.
  static func write(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func open() throws(FakeServer.Failure) -> Int32 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { throw .socket(errno) }
    return descriptor
  }

  private static func onLoopback(_ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    return withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
