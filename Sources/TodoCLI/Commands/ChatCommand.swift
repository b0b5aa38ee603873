import ArgumentParser
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo chat [<user>…]`
struct ChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat",
    abstract: "Show what people say to you; with somebody's name, what you said to each other.",
    usage: """
      todo chat
      todo chat <user>… [-n <count>]
      todo chat <user>… --save-image <image> [--as <file>] [--force]
      todo chat --accept <user>
      todo chat --decline <user>
      """,
    discussion: """
      The last 20 messages, and all that are unread: they are read then, on your other devices too. On a terminal it goes on: what you type is sent with Return, what comes is \
      shown, and an empty line or Ctrl-D ends it. What somebody says whom you have not met stands apart: --accept lets them in, \
      --decline deletes it, and they hear of neither.

      Examples:
        todo chat
        todo chat bob
        todo chat bob -n 100 | less
        todo chat bob --save-image 3f09ac --as sauce.jpg
      """)

  @OptionGroup var options: GlobalOptions

  @Option(name: .customShort("n"), help: ArgumentHelp("How many messages to show.", valueName: "count"))
  var count: Int?

  @Option(help: ArgumentHelp("Let in somebody whom you have not met.", valueName: "user"))
  var accept: String?

  @Option(help: ArgumentHelp("Delete what somebody says whom you have not met.", valueName: "user"))
  var decline: String?

  @Option(help: ArgumentHelp("Save a picture: what stands behind 'image', or its beginning.", valueName: "image"))
  var saveImage: String?

  @Option(name: .customLong("as"), help: ArgumentHelp("Where to save it: a file or its folder.", valueName: "file"))
  var file: String?

  @Flag(help: "Replace a file that is there already.")
  var force = false

  @Argument(help: ArgumentHelp("With whom.", valueName: "user"))
  var users: [String] = []

  func validate() throws {
    if let count, count < 1 { throw ValidationError("-n takes a number from 1") }
    if accept != nil, decline != nil { throw ValidationError("say either --accept or --decline") }
    if accept != nil || decline != nil, !users.isEmpty || saveImage != nil {
      throw ValidationError("--accept and --decline stand alone, with one name behind")
    }
    if saveImage != nil, users.isEmpty { throw ValidationError("say out of which conversation: todo chat <user>") }
    if file != nil || force, saveImage == nil { throw ValidationError("--as and --force go with --save-image") }
  }

  func run() async throws {
    let session = try Session.open(options)
    let account = try session.requireAccount()
    if let accept { return try await session.answerRequest(of: accept, isAccepted: true) }
    if let decline { return try await session.answerRequest(of: decline, isAccepted: false) }
    if users.isEmpty { return try await session.showConversations() }
    let people = try await session.people(called: users)
    _ = try await session.freshen()
    if let saveImage {
      return try await session.saveImage(saveImage, of: people, as: file, force: force)
    }
    let chat = try session.showChat(with: people, count: count ?? 20)
    _ = session.startBackgroundSync()
    let isLive = session.voice.isConversation && session.voice.isRead && !session.voice.isQuiet
    guard isLive, !chat.isRequest, options.sync != false else { return }
    try await LiveChat.run(session, account, people, known: chat.known)
  }
}

extension Session {
  /// Shows who talks with this person. What the page counts as unread is no news below it.
  fileprivate func showConversations() async throws {
    var unread: [UnreadMessages] = []
    try await show(tellsNews: false) { transaction in
      unread = try transaction.unreadMessages(below: .noticed)
      return try transaction.conversationsPage()
    }
    if voice.isRead { try markTold { try $0.mark(unread.flatMap(\.posts), as: .noticed) } }
    try tellNews()
  }

  /// Shows the latest messages. They are read from then on, unless they are a stranger's. Returns what was known then: what comes later is
  /// new.
  fileprivate func showChat(with people: [Person], count: Int) throws -> (known: [Post], isRequest: Bool) {
    let (chat, page, known) = try read { transaction in
      let chat = try transaction.chat(with: people, limit: count)
      let page = ChatPage(
        names: people.map(\.display), messages: try transaction.named(chat.posts), isRequest: chat.isRequest)
      return (chat, page, try transaction.chat(with: people, limit: LiveChat.lookback).posts)
    }
    try voice.tell(page)
    if !chat.isRequest { try markTold { try $0.markRead(chat.posts) } }
    return (known, chat.isRequest)
  }

  fileprivate func answerRequest(of name: String, isAccepted: Bool) async throws {
    try await syncIfPossible()
    guard let person = try await people(called: [name]).first else { throw PostError.noRecipient }
    do {
      try database.write { transaction in
        if isAccepted {
          try transaction.acceptRequest(from: person.user)
        } else {
          try transaction.declineRequest(from: person.user)
        }
      }
    } catch PostError.notHere {
      throw Complaint(
        "not_found", .notFound, "\(Complaint.shortened(person.display)) waits for no answer",
        hint: "'todo chat' shows who does")
    }
    try await finish(RequestPage(person: person, isAccepted: isAccepted))
  }

  fileprivate func saveImage(_ id: String, of people: [Person], as path: String?, force: Bool) async throws {
    let message = try read { try $0.requireImage(id, from: people) }
    guard let image = message.image else { throw PostError.notHere }
    // What was just read lies in another place, of which the server does not know yet.
    if !image.isHere { try await syncIfPossible() }
    let target = try await target(path, of: image, or: message.shortID)
    try target.requireFree(force: force)
    try await save(image, as: target, force: force)
    try voice.tell(SavedMessageImagePage(path: target.path, message: message))
  }
}

extension CloudTransaction {
  /// The message with a picture whose id begins like this, or a complaint.
  fileprivate func requireImage(_ id: String, from people: [Person]) throws -> NamedPost {
    let posts = try chat(with: people, limit: .max).posts
    let pictures = try named(posts.filter { try $0.node.flatMap { try image($0) } != nil })
    let found = pictures.filter { !id.isEmpty && $0.post.id.description.hasPrefix(id.lowercased()) }
    if found.count == 1 { return found[0] }
    let ids = pictures.map(\.shortID)
    guard found.isEmpty else {
      throw Complaint(
        "ambiguous", .notFound, "'\(Complaint.shortened(id))' can be \(found.count) images",
        hint: "give more of it", candidates: found.map(\.shortID))
    }
    throw Complaint(
      "no_image", .notFound, "no image '\(Complaint.shortened(id))' in this conversation",
      hint: ids.isEmpty ? "nobody has sent one" : "there is: \(ids.suffix(5).joined(separator: ", "))", candidates: ids)
  }
}
