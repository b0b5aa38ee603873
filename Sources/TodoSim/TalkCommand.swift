import ArgumentParser
import CloudAPI
import CloudClient
import Foundation
import Sharing
import Signing
import Synchronization
import Treesystem

/// `todo-sim talk`: two people who say much to each other, and a new device of one of them.
struct TalkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "talk",
    abstract: "Let two people talk, and say when a new device of one shows the newest of it, and when it has all.",
    shouldDisplay: false)

  @Option(help: "The server.") var server: String
  @Option(help: "A folder for the devices.") var folder: String
  @Option(help: "How many messages.") var messages = 100_000
  @Option(help: "In how many conversations.") var conversations = 20
  @Option(help: "How many are shown of each.") var latest = 20

  func run() throws { try playing { try await talk() } }

  private func talk() async throws {
    let alice = try Talker("alice", folder, server)
    let bob = try Talker("bob", folder, server)
    for talker in [alice, bob] {
      try await talker.session.signUp(handle: talker.name, server: server)
      _ = try await talker.session.sync()
    }
    let users = try [alice, bob].map { try $0.user() }
    for (one, other) in [(alice, "bob"), (bob, "alice")] { _ = try await one.session.lookUp(handle: other) }
    let topics = (0..<conversations).compactMap { CloudID(bytes: [UInt8](repeating: UInt8($0), count: 16)) }
    // Neither is a stranger to the other.
    try alice.say(1, to: users[1], about: [topics[0]])
    try bob.say(1, to: users[0], about: [topics[0]])
    for talker in [alice, bob, alice] { try await talker.sync() }
    // Nobody has more than a hundred messages of one sender in the inbox, with the first one.
    let each = max(1, 99 / conversations)
    for _ in 0..<max(1, messages / (2 * each * conversations)) {
      for (one, other, user) in [(alice, bob, users[1]), (bob, alice, users[0])] {
        try one.say(each, to: user, about: topics)
        try await one.sync()
        try await other.sync()
        try other.markRead(users, topics)
      }
    }
    for talker in [alice, bob, alice] { try await talker.sync() }
    try await measure(alice, users, topics)
  }

  private func measure(_ alice: Talker, _ users: [UserID], _ topics: [CloudID]) async throws {
    let truth = try alice.shown(users, topics, latest)
    let tablet = try Talker("tablet", folder, server)
    guard let root = try alice.database.read({ try $0.root() }) else { throw ValidationError("there is no account") }
    try await tablet.session.logIn(root: root, handle: "alice", server: server)
    let first = Mutex<(seconds: Double, bytes: Int, isWhole: Bool)?>(nil)
    let begin = ContinuousClock.now
    let database = tablet.database
    tablet.scale.onFirstPage { bytes in
      let seconds = (ContinuousClock.now - begin) / .seconds(1)
      let shown = try? database.read { transaction in
        guard try transaction.conversations().count == topics.count else { return [[PostID]]() }
        return try Talker.shown(users, topics, latest, transaction)
      }
      first.withLock { $0 = (seconds, bytes, shown == truth) }
    }
    try await tablet.sync()
    let seconds = (ContinuousClock.now - begin) / .seconds(1)
    let all = try tablet.shown(users, topics, .max)
    guard let shown = first.withLock({ $0 }), shown.isWhole, try all == alice.shown(users, topics, .max) else {
      throw ValidationError("the new device shows something else")
    }
    // How many there are; seconds and bytes until the newest are shown, and until all is here.
    print("\(all.joined().count) \(shown.seconds) \(shown.bytes) \(seconds) \(tablet.scale.bytes)")
  }
}

/// One device of somebody who talks, and what it moves.
private struct Talker {
  let name: String
  let database: CloudDatabase
  let session: CloudSession
  let scale: Scale

  init(_ name: String, _ folder: String, _ server: String) throws {
    let address = try ServerAddress(server)
    self.name = name
    database = try CloudDatabase(
      path: "\(folder)/\(name).db", appMigrations: sharingMigrations, app: SharingDelegate(app: Silent()))
    scale = Scale(HTTPTransport(server: address))
    session = CloudSession(database: database, transport: scale, authority: address.authority, app: Silent())
  }

  func user() throws -> UserID {
    guard let user = try database.read({ try $0.account() })?.user else { throw ValidationError("there is no account") }
    return user
  }

  func sync() async throws {
    let report = try await session.sync()
    guard report.troubles.isEmpty, report.unsent == 0, report.refused == 0 else {
      throw ValidationError("not all of it arrived")
    }
  }

  func say(_ count: Int, to user: UserID, about topics: [CloudID]) throws {
    try database.write { transaction in
      for topic in topics {
        for number in 0..<count {
          try transaction.sendMessage(
            MessageDraft(to: [user], about: topic, text: "\(name) says something of the usual length, \(number)"))
        }
      }
    }
  }

  func markRead(_ users: [UserID], _ topics: [CloudID]) throws {
    try database.write { transaction in
      for topic in topics {
        let conversation = ConversationID(of: users, about: topic)
        if let last = try transaction.messages(in: conversation, limit: 1).last { try transaction.markRead(last.id) }
      }
    }
  }

  func shown(_ users: [UserID], _ topics: [CloudID], _ limit: Int) throws -> [[PostID]] {
    try database.read { try Self.shown(users, topics, limit, $0) }
  }

  static func shown(
    _ users: [UserID], _ topics: [CloudID], _ limit: Int, _ transaction: CloudTransaction
  ) throws -> [[PostID]] {
    try topics.map { try transaction.messages(in: ConversationID(of: users, about: $0), limit: limit).map(\.id) }
  }
}

/// Counts the bytes of requests and answers, and says when the first page of a long trunk is asked for.
private final class Scale: CloudTransport, CloudStreaming {
  private let inner: HTTPTransport
  private let moved = Mutex(0)
  private let isAsked = Mutex(false)
  private let listener = Mutex<(@Sendable (Int) -> Void)?>(nil)

  init(_ inner: HTTPTransport) { self.inner = inner }

  var bytes: Int { moved.withLock { $0 } }

  /// Told how many bytes have moved by then.
  func onFirstPage(_ listener: @escaping @Sendable (Int) -> Void) {
    moved.withLock { $0 = 0 }
    self.listener.withLock { $0 = listener }
  }

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    let route = Route(method: request.method, path: request.path)
    if route == .newest { isAsked.withLock { $0 = true } }
    if route == .pull, isAsked.withLock({ $0 }) {
      let told = listener.withLock { listener in
        defer { listener = nil }
        return listener
      }
      told?(bytes)
    }
    let response = try await inner.send(request)
    moved.withLock { $0 += Self.size(request.headers, request.body) + Self.size(response.headers, response.body) }
    return response
  }

  func stream(_ request: CloudRequest) async throws -> CloudStream { try await inner.stream(request) }

  private static func size(_ headers: [String: String], _ body: [UInt8]) -> Int {
    headers.reduce(body.count) { $0 + $1.key.utf8.count + $1.value.utf8.count + 4 }
  }
}

/// An app that keeps nothing of its own.
private struct Silent: TreesystemDelegate {
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData { NodeData() }
  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge { .settled }
}
