import CloudAPI
import CloudClient
import CloudServer
import Foundation
import Treesystem

/// A server in the tests' own process, in a folder where the devices keep their databases too.
final class GuideServer {
  static let authority = "tree.example.org"

  private let folder: URL
  let transport: Loopback

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "guide-\(UUID().uuidString)")
    let server = folder.appending(path: "server").path
    try FileManager.default.createDirectory(atPath: server, withIntermediateDirectories: true)
    transport = Loopback(
      cloud: Cloud(
        storage: try SQLiteStorage(folder: server), blobs: MemoryBlobStore(), policy: .open, clock: SystemClock()))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  func path(_ name: String) -> String { folder.appending(path: name).path }
}

/// Hands requests over within the process.
struct Loopback: CloudTransport, CloudStreaming {
  let cloud: Cloud

  func send(_ request: CloudRequest) async throws -> CloudResponse { cloud.handle(request) }

  func stream(_ request: CloudRequest) async throws -> CloudStream {
    let answer = try await send(request)
    let chunks = AsyncThrowingStream<[UInt8], any Error> { writer in
      writer.yield(answer.body)
      writer.finish()
    }
    return CloudStream(status: answer.status, headers: answer.headers, chunks: chunks)
  }
}

/// What a program does instead.
func connect(to server: String) throws -> (transport: HTTPTransport, authority: String) {
  let address = try ServerAddress(server)
  return (HTTPTransport(server: address), address.authority)
}
