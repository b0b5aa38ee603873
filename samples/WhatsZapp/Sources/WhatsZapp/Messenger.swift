import CloudAPI
import Sealing
import Sharing
import Signing
import Treesystem

/// The app on one device.
struct Messenger {
  private let session: CloudSession
  private let authority: String

  /// Opens the device's database. It needs neither account nor server for that.
  init(_ device: String, _ server: LocalServer) throws {
    authority = server.authority
    let database = try CloudDatabase(
      path: server.path(of: device), appMigrations: sharingMigrations, app: SharingDelegate(app: NoNodes()))
    session = CloudSession(database: database, transport: server.transport, authority: authority, app: NoNodes())
  }

  /// Makes an account.
  func signUp(as handle: String) async throws {
    try await session.signUp(handle: handle, server: authority)
    try await sync()
  }

  /// Makes this device one of the same person as another: in a real app somebody types their 24 words.
  func logIn(as handle: String, like other: Messenger) async throws {
    guard let root = try other.session.database.read({ try $0.root() }) else { throw TreeError.notSignedIn }
    try await session.logIn(root: root, handle: handle, server: authority)
    try await sync()
  }

  /// Sends and receives. A picture goes first, and what lists it follows.
  func sync() async throws {
    _ = try await session.sync()
    if try await session.transferFiles().sent > 0 { _ = try await session.sync() }
  }

  /// Queues a message; without a server it waits. Only the first one to somebody asks the server who that is.
  func say(_ text: String, with picture: Picture? = nil, to handle: String) async throws {
    let known = try session.database.read { try $0.person(handle: handle)?.user }
    var friend = known
    if friend == nil { friend = try await session.lookUp(handle: handle)?.user }
    guard let friend else { throw ShareError.unknownUser(handle) }
    let file = try picture.map { try seal($0) }
    try session.database.write { transaction in
      _ = try transaction.sendMessage(MessageDraft(to: [friend], text: text, attachment: file))
    }
  }

  /// Lets somebody in who wrote without being known here.
  func accept(_ handle: String) throws {
    try session.database.write { transaction in
      for request in try transaction.requests() where request.name == handle {
        try transaction.acceptRequest(from: request.sender)
      }
    }
  }

  /// Opens the conversation with somebody: what it shows is read then, on every device.
  @discardableResult
  func open(_ handle: String) throws -> [String] {
    try session.database.write { transaction in
      guard let conversation = try transaction.conversation(with: handle) else { throw TreeError.noSuchNode }
      let posts = try transaction.messagesWithUnread(of: conversation, limit: 20)
      try transaction.markRead(posts)
      return try posts.map { try transaction.line($0) }
    }
  }

  /// The small copy of the latest picture from somebody, or all of it, fetched unless it is here.
  func picture(from handle: String, _ section: FileSection) async throws -> [UInt8] {
    let post = try session.database.read { transaction in
      try transaction.conversation(with: handle).map { try transaction.messages(in: $0.id, limit: 100) }?
        .last { try !$0.isOwn && $0.node.flatMap { try transaction.file(of: $0) } != nil }
    }
    guard let node = post?.node, let file = try session.database.read({ try $0.file(of: node) }) else {
      throw TreeError.noSuchNode
    }
    try await session.fetchFile(section == .data ? .data : .thumbnail, of: node)
    if section != .data { return try session.database.diskStore.section(section, of: file) ?? [] }
    var picture = PictureSink()
    guard try session.database.diskStore.data(of: file, into: &picture) else { throw TreeError.noSuchNode }
    return picture.bytes
  }

  /// What is on the screen: strangers apart, then each conversation with what was said.
  func screen() throws -> [String] {
    try session.database.read { transaction in
      let requests = try transaction.requests().map { "\($0.name) wants to talk to you: \($0.posts.count) waiting" }
      let conversations = try transaction.conversations().flatMap { conversation in
        let names = try conversation.users.map { try transaction.displayName(of: $0) }
        let heading =
          names.joined(separator: ", ") + (conversation.unread > 0 ? " (\(conversation.unread) unread)" : "")
        let posts = try transaction.messagesWithUnread(of: conversation, limit: 20)
        return [heading] + (try posts.map { try transaction.line($0) })
      }
      return requests + conversations
    }
  }

  private func seal(_ picture: Picture) throws -> NodeFile {
    var source = picture
    return try session.database.diskStore.store(
      thumbnail: picture.small, data: &source, size: UInt64(picture.bytes.count))
  }
}

extension CloudTransaction {
  fileprivate func conversation(with handle: String) throws -> Conversation? {
    try conversations().first { try $0.users.map { try displayName(of: $0) } == [handle] }
  }

  fileprivate func line(_ post: Post) throws -> String {
    let picture = try post.node.flatMap { try file(of: $0) }.map { file in
      try isHere(.data, of: file) ? " [picture]" : " [picture, not on this device]"
    }
    return "  \(post.isOwn ? "you" : try displayName(of: post.sender)): \(post.text)\(picture ?? "")"
  }
}

/// All that this app keeps in the tree are messages, and those are Sharing's.
private struct NoNodes: TreesystemDelegate {
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData { NodeData() }
  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge { .settled }
}
