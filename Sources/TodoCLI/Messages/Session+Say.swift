import Sharing
import Signing
import TodoCore
import Treesystem

extension Session {
  /// The people whom somebody named, each once. Whoever was met is known without the server.
  func people(called names: [String]) async throws -> [Person] {
    let account = try requireAccount()
    var people: [Person] = []
    for name in names {
      let handle = try plainHandle(name, server: account.server)
      let known = try read { try $0.people().first { $0.display == handle } }
      let person = if let known { known } else { try await requirePerson(name) }
      if person.user == account.user { throw Complaint.toOneself }
      if !people.contains(where: { $0.user == person.user }) { people.append(person) }
    }
    return people
  }
}

extension CloudTransaction {
  /// Says something: it waits here until the next sync.
  func say(_ text: String, to people: [Person], with image: NodeFile? = nil) throws -> PostID {
    let isAnswer = try chat(with: people, limit: 1).isRequest
    let post = try sendMessage(MessageDraft(to: people.map(\.user), text: text, attachment: image))
    // Whoever answers a stranger has read what they said.
    if isAnswer { try markRead(chat(with: people, limit: LiveChat.lookback).posts) }
    return post
  }

  /// Refuses what could not be said, before anything takes long.
  func requireSayable(_ text: String, to people: [Person], hasImage: Bool) throws {
    if let blocked = people.first(where: \.regard.isBlocked) { throw ShareError.blocked(blocked.display) }
    if text.allSatisfy(\.isWhitespace) {
      if hasImage { return }
      throw PostError.empty
    }
    try MessageDraft(to: people.map(\.user), text: text).check(from: requireAccount().user)
  }

  /// A post with names, as it stands now.
  func named(_ post: PostID) throws -> NamedPost {
    guard let found = try self.post(post), let named = try named([found]).first else { throw PostError.notHere }
    return named
  }
}

extension Complaint {
  fileprivate static let toOneself = usage("that is you", hint: "say whom else it is for: 'todo users' shows people")
}
