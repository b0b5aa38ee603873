import CloudAPI
import Sharing
import Signing
import Treesystem

/// Somebody at their device.
struct Chatter {
  private let handle: String
  private let session: CloudSession
  private let authority: String

  /// Registers somebody: their keys are made here, and the server gets the public halves with the name.
  init(registering handle: String, at server: ChatServer) async throws {
    self.handle = handle
    authority = server.authority
    let database = try CloudDatabase(
      path: server.path(of: handle), appMigrations: sharingMigrations, app: SharingDelegate(app: NoNodes()))
    session = CloudSession(database: database, transport: server.transport, authority: authority, app: NoNodes())
    try await session.signUp(handle: handle, server: authority)
    _ = try await session.sync()
  }

  /// Asks the directory who bears a name. What comes back is a signed chain that proves itself; nil: nobody does.
  func find(_ handle: String) async throws -> Person? { try await session.lookUp(handle: handle) }

  /// The sixty digits that this user and another one compare, by telephone say.
  func number(with person: Person) throws -> SafetyNumber {
    SafetyNumber(of: try session.database.read { try $0.requireAccount().user }, and: person.user)
  }

  /// Notes that the number is the same on the other side, if it is.
  func verify(_ person: Person, hearing digits: String) throws -> Bool {
    guard try number(with: person).matches(digits) else { return false }
    try session.database.write { try $0.setVerified(person.user) }
    return true
  }

  /// Encrypts a text for somebody, signs it, and sends it.
  func send(_ text: String, to person: Person) async throws {
    try session.database.write { _ = try $0.sendMessage(MessageDraft(to: [person.user], text: text)) }
    _ = try await session.sync()
  }

  /// Fetches what there is, and decrypts what can be believed. Returns why anything is not.
  func receive() async throws -> Set<Refusal> {
    let report = try await session.sync()
    return try Set(report.troubles.values).union(session.database.read { try $0.quarantined().map(\.reason) })
  }

  /// What others say to this user, with who has signed it: the sender's name is not what a message says of itself.
  func read() throws -> [String] {
    try session.database.read { transaction in
      let heard = try transaction.conversations().flatMap { try transaction.messages(in: $0.id, limit: 100) }
      let strange = try transaction.requests().flatMap(\.posts)
      return try (heard + strange).filter { !$0.isOwn }.map { post in
        let name = try transaction.displayName(of: post.sender)
        let isVerified = try transaction.regard(for: post.sender).isVerified
        return "\(name) (\(isVerified ? "verified" : "not verified")): \(post.text)"
      }
    }
  }
}

/// All that this app keeps in the tree are messages, and those are Sharing's.
private struct NoNodes: TreesystemDelegate {
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData { NodeData() }
  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge { .settled }
}
