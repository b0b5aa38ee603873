import CloudAPI
import CloudClient
import Foundation
import Glibc
import Signing
import Testing

/// A network that takes longer over a part of a file than any server may be silent.
struct SlowNetworkHTTPTests {
  @Test(.timeLimit(.minutes(5))) func aPartMayTakeLong() async throws {
    let body = [UInt8](repeating: 7, count: 4 * 1024 * 1024)
    let peer = try SlowPeer(bytes: body.count, over: 50)
    let transport = try HTTPTransport(server: "http://127.0.0.1:\(peer.port)")
    let content = try #require(ContentID(bytes: [UInt8](repeating: 1, count: 16)))
    let route = Route.filePart(content, part: 0)
    let begin = ContinuousClock.now
    let response = try await transport.send(
      CloudRequest(method: route.method, authority: "127.0.0.1:\(peer.port)", path: route.path, body: body))
    #expect(response.status == 204)
    #expect(ContinuousClock.now - begin > .seconds(45))
  }
}

/// Takes one request so slowly that it takes so many seconds, and answers it.
private final class SlowPeer: Sendable {
  let port: Int

  init(bytes: Int, over seconds: Int) throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    // As a slow network does, it takes little that nobody has read.
    var room: Int32 = 32_768
    setsockopt(listener, SOL_SOCKET, SO_RCVBUF, &room, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, length) == 0 && listen(listener, 8) == 0 && getsockname(listener, $0, &length) == 0
      }
    }
    guard isListening else { throw POSIXError(.EADDRINUSE) }
    port = Int(in_port_t(bigEndian: address.sin_port))
    Thread.detachNewThread { Self.serve(listener, bytes, seconds) }
  }

  private static func serve(_ listener: Int32, _ bytes: Int, _ seconds: Int) {
    let connection = accept(listener, nil, nil)
    close(listener)
    defer { close(connection) }
    var (taken, buffer) = (0, [UInt8](repeating: 0, count: 32_768))
    var head: Int?
    let begin = ContinuousClock.now
    while taken < bytes + (head ?? 0) {
      let count = read(connection, &buffer, buffer.count)
      guard count > 0 else { return }
      taken += count
      head = head ?? buffer.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound
      let due = begin + .milliseconds(seconds * 1000 * taken / bytes)
      let pause = (due - ContinuousClock.now) / .seconds(1)
      if pause > 0 { Thread.sleep(forTimeInterval: pause) }
    }
    let answer = Array("HTTP/1.1 204 No Content\r\n\r\n".utf8)
    _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
  }
}
