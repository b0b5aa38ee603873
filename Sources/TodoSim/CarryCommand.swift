import ArgumentParser
import CloudAPI
import CloudClient
import Foundation
import Glibc
import Sealing
import Sharing
import Signing
import Treesystem

/// `todo-sim carry`: one device of an account, and a file of any size.
struct CarryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "carry",
    abstract: "Carry a large file to a server and from there to another device, and say what that took.",
    shouldDisplay: false)

  @Option(help: "The server.") var server: String
  @Option(help: "A folder for the two devices.") var folder: String
  @Option(help: "The file to send.") var up: String?
  @Option(help: "Where the file is to be written, by the other device.") var down: String?

  func run() throws { try playing { try await carry() } }

  private func carry() async throws {
    let begin = ContinuousClock.now
    if let up { try await send(up) }
    if let down { try await fetch(to: down) }
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    // Seconds, and the most memory that this process had, in MiB: what the bench divides by.
    print("\(seconds) \(try Self.peak())")
  }

  private func send(_ path: String) async throws {
    let (database, session) = try device("sender", Carrier(path: path))
    try await session.signUp(handle: "carrier", server: server)
    _ = try await session.sync()
    try database.write { transaction in
      let node = try transaction.createNode(withPath: Treepath(.home, "file"))
      try transaction.promiseFile(of: node.id)
    }
    _ = try await session.transferFiles()
    let report = try await session.sync()
    guard report.unsent == 0, report.refused == 0 else { throw ValidationError("it did not arrive") }
  }

  private func fetch(to path: String) async throws {
    let root = try device("sender", Carrier(path: path)).0.read { try $0.root() }
    let (database, session) = try device("receiver", Carrier(path: path))
    guard let root else { throw ValidationError("there is no sender") }
    try await session.logIn(root: root, handle: "carrier", server: server)
    _ = try await session.sync()
    guard let node = try database.read({ try $0.node(withPath: Treepath(.home, "file")) }),
      let file = try database.read({ try $0.file(of: node.id) })
    else { throw ValidationError("there is no file") }
    try await session.fetchFile(.data, of: node.id)
    var sink = try ClearSink(path: path)
    guard try database.diskStore.data(of: file, into: &sink) else { throw ValidationError("it is not whole") }
  }

  private func device(_ name: String, _ app: Carrier) throws -> (CloudDatabase, CloudSession) {
    let address = try ServerAddress(server)
    let database = try CloudDatabase(path: "\(folder)/\(name).db", appMigrations: sharingMigrations, app: app)
    let session = CloudSession(
      database: database, transport: HTTPTransport(server: address), authority: address.authority, app: app)
    return (database, session)
  }

  private static func peak() throws -> Int {
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) / 1024
  }
}

/// An app with one node, which is a file.
private struct Carrier: TreesystemDelegate {
  let path: String

  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    NodeData(file: try transaction.file(of: node.id))
  }

  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge { .settled }

  func file(of node: Node, in transaction: CloudTransaction) throws -> FileOffer? {
    FileOffer(.clearFile(path: path))
  }
}

/// A file in clear that is written from its beginning.
private struct ClearSink: FileSink {
  private let handle: FileHandle

  init(path: String) throws {
    guard FileManager.default.createFile(atPath: path, contents: nil) else { throw CocoaError(.fileWriteUnknown) }
    handle = try FileHandle(forWritingTo: URL(filePath: path))
  }

  func write(_ bytes: [UInt8]) throws { try handle.write(contentsOf: bytes) }
}
