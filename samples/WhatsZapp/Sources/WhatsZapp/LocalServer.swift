import CloudAPI
import CloudServer
import Foundation
import Treesystem

/// What `todo-server` is made of, in this process and in a folder of its own. The devices keep their databases there too.
final class LocalServer {
  /// By what name requests are signed for it.
  let authority = "chat.example.org"
  let transport: Loopback
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "whatszapp-\(UUID().uuidString)")
    let server = folder.appending(path: "server").path
    try FileManager.default.createDirectory(atPath: server, withIntermediateDirectories: true)
    transport = Loopback(
      cloud: Cloud(
        storage: try SQLiteStorage(folder: server), blobs: MemoryBlobStore(), policy: .open, clock: SystemClock()))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Where a device keeps what it knows.
  func path(of device: String) -> String { folder.appending(path: "\(device).db").path }
}

/// Hands requests over without a socket. A program that talks to a server elsewhere takes CloudClient's `HTTPTransport` instead.
struct Loopback: CloudTransport, CloudStreaming {
  let cloud: Cloud

  func send(_ request: CloudRequest) async throws -> CloudResponse { cloud.handle(request) }

  func stream(_ request: CloudRequest) async throws -> CloudStream {
    let answer = cloud.handle(request)
    let chunks = AsyncThrowingStream<[UInt8], any Error> { writer in
      writer.yield(answer.body)
      writer.finish()
    }
    return CloudStream(status: answer.status, headers: answer.headers, chunks: chunks)
  }
}
