import Foundation
import Glibc
import Synchronization

/// A server that is none: `fake-server nonsense|garbled|newer|away-STATUS|silent|relay=PORT HOST:PORT`.
///
/// It answers every request with the same bytes, or never; or, as a relay, passes all on to a real server and keeps a copy.
final class FakeServer: Running, Sendable {
  /// Why there is none.
  enum Failure: Error {
    case arguments
    case socket(Int32)
  }

  /// What it does with a connection.
  private enum Kind {
    case answer(String)
    case silence
    case relay(UInt16)
  }

  let port: UInt16
  private let listener: Int32
  private let kind: Kind
  private let copy = Mutex<[UInt8]>([])
  /// Those that get no answer.
  private let waiting = Mutex<Set<Int32>>([])

  /// Listens, with what stands after `fake-server` on the page.
  init(arguments: [String]) throws(Failure) {
    guard arguments.count == 2, let kind = Self.kind(arguments[0]),
      let port = arguments[1].split(separator: ":").last.flatMap({ UInt16($0) })
    else { throw .arguments }
    self.kind = kind
    listener = try Socket.listen(port)
    self.port = Socket.port(of: listener)
    Thread.detachNewThread { [self] in
      while case let connection = accept(listener, nil, nil), connection >= 0 {
        Thread.detachNewThread { [self] in serve(connection) }
      }
      close(listener)
    }
  }

  /// What went through a relay, both ways.
  var traffic: [UInt8] { copy.withLock { $0 } }

  func stop() -> Int32 {
    shutdown(listener, Int32(SHUT_RDWR))
    waiting.withLock { for connection in $0 { shutdown(connection, Int32(SHUT_RDWR)) } }
    return 0
  }

  func kill() -> Int32 { stop() }

  private static func kind(_ name: String) -> Kind? {
    switch name {
    case "nonsense": .answer(response("content-type: text/html", "<h1>It works!</h1>"))
    case "garbled": .answer(response("todo-protocol: 1", "\u{7F}ELF\u{1}\u{2}\u{3}"))
    case "newer": .answer(response("todo-protocol: 2", ""))
    case _ where name.hasPrefix("away-"):
      .answer(response("content-type: text/html", "<h1>Away</h1>", status: String(name.dropFirst(5))))
    case "silent": .silence
    default: name.split(separator: "=").last.flatMap { UInt16($0) }.map { .relay($0) }
    }
  }

  private static func response(_ headers: String, _ body: String, status: String = "200") -> String {
    "HTTP/1.1 \(status) OK\r\n\(headers)\r\ncontent-length: \(body.utf8.count)\r\nconnection: close\r\n\r\n\(body)"
  }

  private func serve(_ connection: Int32) {
    switch kind {
    case .answer(let answer):
      var request: [UInt8] = []
      while !request.hasHead, let bytes = Socket.read(connection) { request += bytes }
      _ = Socket.write(Array(answer.utf8), to: connection)
      shutdown(connection, Int32(SHUT_WR))
      // What was not read would reset the connection, and take the answer with it.
      while Socket.read(connection) != nil {}
    case .silence:
      waiting.withLock { _ = $0.insert(connection) }
      while Socket.read(connection) != nil {}
      waiting.withLock { _ = $0.remove(connection) }
    case .relay(let port):
      if let server = try? Socket.connect(port) {
        Thread.detachNewThread { [self] in pump(server, connection) }
        pump(connection, server)
        close(server)
      }
    }
    close(connection)
  }

  private func pump(_ from: Int32, _ to: Int32) {
    while let bytes = Socket.read(from) {
      copy.withLock { $0 += bytes }
      guard Socket.write(bytes, to: to) else { break }
    }
    shutdown(to, Int32(SHUT_RDWR))
  }
}

extension [UInt8] {
  /// Whether the empty line after a request's headers is among the bytes.
  fileprivate var hasHead: Bool { firstRange(of: Array("\r\n\r\n".utf8)) != nil }
}
