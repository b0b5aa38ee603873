import CloudAPI
import CloudServer
import Foundation
import Synchronization
import Treesystem

/// What `todo-server` is made of, in this process, and in a folder that one can look through as whoever runs a server can.
final class ChatServer {
  /// By what name requests are signed for it.
  let authority = "chat.example.org"
  let transport: Wire
  private let folder: URL
  private var disk: URL { folder.appending(path: "server") }

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "encryptedchat-\(UUID().uuidString)")
    let server = folder.appending(path: "server").path
    try FileManager.default.createDirectory(atPath: server, withIntermediateDirectories: true)
    transport = Wire(
      cloud: Cloud(
        storage: try SQLiteStorage(folder: server),
        blobs: try FolderBlobStore(disk: SystemDisk(folder: "\(server)/blobs")), policy: .open, clock: SystemClock()))
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Where a device keeps what it knows.
  func path(of device: String) -> String { folder.appending(path: "\(device).db").path }

  /// Whether a text stands anywhere on the server's disk.
  func holds(_ text: String) throws -> Bool {
    let names = FileManager.default.enumerator(atPath: disk.path)?.compactMap { $0 as? String } ?? []
    return names.contains { name in
      (try? Data(contentsOf: disk.appending(path: name)))?.range(of: Data(text.utf8)) != nil
    }
  }
}

/// Hands requests over without a socket, and lets somebody stand in the middle.
final class Wire: CloudTransport, CloudStreaming {
  /// What becomes of an answer on its way.
  typealias Change = @Sendable (CloudRequest, CloudResponse) -> CloudResponse

  private let cloud: Cloud
  private let change = Mutex<Change> { $1 }

  init(cloud: Cloud) { self.cloud = cloud }

  /// From now on answers are changed like this; nil: they arrive as they are.
  func tamper(_ change: Change?) { self.change.withLock { $0 = change ?? { $1 } } }

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    let answer = cloud.handle(request)
    return change.withLock { $0 }(request, answer)
  }

  func stream(_ request: CloudRequest) async throws -> CloudStream {
    let answer = try await send(request)
    let chunks = AsyncThrowingStream<[UInt8], any Error> { writer in
      writer.yield(answer.body)
      writer.finish()
    }
    return CloudStream(status: answer.status, headers: answer.headers, chunks: chunks)
  }
}
