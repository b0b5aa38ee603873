import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A bare connection, for what no well-behaved client sends.
struct Wire {
  struct Answer {
    let text: String
    let seconds: Double
  }

  private let port: Int

  init(_ port: Int) { self.port = port }

  /// Sends `first`, then `more` again and again until the server answers or closes; 20 seconds at most.
  func exchange(_ first: String, then more: String? = nil, every pause: Double = 0.1) async throws -> Answer {
    try await exchange(Array(first.utf8), then: more.map { Array($0.utf8) }, every: pause)
  }

  func exchange(_ first: [UInt8], then more: [UInt8]? = nil, every pause: Double = 0.1) async throws -> Answer {
    let port = port
    return try await withCheckedThrowingContinuation { continuation in
      Thread.detachNewThread { continuation.resume(with: Result { try Self.run(port, first, more, pause) }) }
    }
  }

  /// Sends `first`, and holds the connection until `release`.
  func hold(_ first: String) throws -> Int32 { try Self.open(port, Array(first.utf8)) }

  /// Lets go of one that was held.
  static func release(_ socket: Int32) { close(socket) }

  private static func open(_ port: Int, _ first: [UInt8]) throws -> Int32 {
    let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let connected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard connected == 0 else {
      close(socket)
      throw POSIXError(.ECONNREFUSED)
    }
    send(socket, first)
    return socket
  }

  private static func run(_ port: Int, _ first: [UInt8], _ more: [UInt8]?, _ pause: Double) throws -> Answer {
    let start = Date()
    let socket = try open(port, first)
    defer { close(socket) }
    var bytes: [UInt8] = []
    while Date().timeIntervalSince(start) < 20 {
      var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
      if poll(&entry, 1, Int32(pause * 1000)) > 0 {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = read(socket, &buffer, buffer.count)
        guard count > 0 else { break }
        bytes += buffer.prefix(count)
      } else if let more {
        send(socket, more)
      }
    }
    return Answer(text: String(decoding: bytes, as: UTF8.self), seconds: Date().timeIntervalSince(start))
  }

  private static func send(_ socket: Int32, _ bytes: [UInt8]) {
    _ = Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL))
  }
}
