import CloudAPI
import Foundation
import Sharing
import Signing
import Synchronization
import TestSupport
import Treesystem

/// An app that keeps what it hears.
struct Ear: SharingApp {
  let heard = Locked<[MessageEvent]>([])

  func prepareForSync(in transaction: CloudTransaction) throws {}
  func hear(_ answer: Answer, of user: UserID, at root: Node, in transaction: CloudTransaction) throws {}
  func hear(_ event: MessageEvent, in transaction: CloudTransaction) throws { heard.with { $0.append(event) } }
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    NodeData(file: try transaction.file(of: node.id))
  }
  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge { .settled }
}

/// People who talk, and what all their devices hear.
final class Talk {
  let world: World
  let ear = Ear()
  private(set) var devices: [String: Device] = [:]

  init(_ handles: String..., seed: String = "talk") async throws {
    world = try World(running: ear, seed: seed)
    for handle in handles { devices[handle] = try await world.person(handle) }
    for handle in handles {
      for other in handles where other != handle { _ = try await devices[handle]?.session.lookUp(handle: other) }
    }
  }

  subscript(_ name: String) -> Device {
    get throws {
      guard let device = devices[name] else { throw TreeError.noSuchNode }
      return device
    }
  }

  /// Another device of somebody's.
  func second(_ name: String, of handle: String) async throws -> Device {
    let device = try await self[handle].second(name, handle, in: world)
    devices[name] = device
    return device
  }

  /// Says something on one device.
  @discardableResult
  func say(
    _ text: String, from sender: String, to recipients: String..., about topic: CloudID? = nil,
    _ change: (inout MessageDraft) -> Void = { _ in }
  ) throws -> PostID {
    var draft = MessageDraft(to: try recipients.map { try self[$0].user() }, about: topic, text: text)
    change(&draft)
    return try self[sender].database.write { try $0.sendMessage(draft) }
  }

  /// Lets these sync, in this order.
  func sync(_ names: String...) async throws { for name in names { try await self[name].sync() } }

  /// What one device shows of its only conversation, or of the one with these people.
  func texts(_ name: String, with others: String...) throws -> [String] {
    let users = try others.map { try self[$0].user() }.sorted()
    return try self[name].database.read { transaction in
      let found = try transaction.conversations().filter { users.isEmpty || $0.users == users }
      return try found.flatMap { try transaction.messages(in: $0.id, limit: 1000).map(\.text) }
    }
  }

  /// How many posts one device shows as not read.
  func unread(_ name: String) throws -> Int {
    try self[name].database.read { try $0.conversations().reduce(0) { $0 + $1.unread } }
  }

  /// What strangers say on one device.
  func requests(_ name: String) throws -> [String: [String]] {
    let requests = try self[name].database.read { try $0.requests() }
    return Dictionary(uniqueKeysWithValues: requests.map { ($0.name, $0.posts.map(\.text)) })
  }

  /// They have written to each other before.
  func acquaint(_ one: String, _ other: String) async throws {
    try say("hello", from: one, to: other)
    try say("hello", from: other, to: one)
    try await sync(one, other, one)
  }
}

extension World {
  /// A file in the clear, of so many bytes that do not repeat.
  func clearFile(_ size: Int) throws -> String {
    let path = folder.appendingPathComponent("picture-\(size)").path
    var state: UInt64 = 88_172_645_463_325_252
    var bytes = [UInt8](repeating: 0, count: size)
    for index in bytes.indices {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      bytes[index] = UInt8(truncatingIfNeeded: state)
    }
    try Data(bytes).write(to: URL(filePath: path))
    return path
  }
}

extension Device {
  /// Puts a file into the disk store, sealed.
  func seal(_ path: String, thumbnail: [UInt8] = []) throws -> NodeFile {
    var source = try ClearFile(path: path)
    return try database.diskStore.store(thumbnail: thumbnail, data: &source, size: source.size)
  }
}
