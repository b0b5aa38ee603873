import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// What somebody said, with names.
struct NamedPost {
  /// What became of it on its way to one person.
  struct Way {
    let name: String
    let user: UserID
    let delivery: Delivery
  }

  let post: Post
  /// The handle of who said it; nil for oneself.
  let by: String?
  /// Who else got it, of somebody else's: their handles.
  var alsoTo: [String] = []
  /// The picture that goes with it.
  let image: NamedImage?
  /// Of one's own, as far as this device knows.
  var ways: [Way]

  /// Whether a picture goes with it; it may not have come so far that it can be shown.
  var hasImage: Bool { image != nil || post.node == nil && post.hasFile }

  /// Enough of its id to name it in its conversation.
  var shortID: String { String(post.id.description.prefix(6)) }

  /// `2026-11-20 21:40  bob  which sauce?`; what it says beyond its first line stands below.
  /// - Parameter isRequest: whether nothing else says who got it.
  func lines(_ style: Style, nameWidth: Int = 0, isRequest: Bool = false) -> [String] {
    let text = post.textLines.map(harmless)
    let marks = [!hasImage ? nil : "[image \(shortID)]"].compactMap { $0 } + remarks + (isRequest ? others : [])
    let name = pad(harmless(by ?? "you"), to: nameWidth)
    let first = "\(style.quiet(localTime(post.sent)))  \(style.heading(name))  "
    let said = ([text[0]].filter { !$0.isEmpty } + marks.map(style.quiet)).joined(separator: " ")
    let indent = String(repeating: " ", count: localTime(post.sent).count + name.count + 4)
    return [first + said] + text.dropFirst().map { indent + $0 }
  }

  private var others: [String] {
    alsoTo.isEmpty ? [] : ["· also to \(alsoTo.map(harmless).joined(separator: ", "))"]
  }

  /// What is not as it should be.
  private var remarks: [String] {
    let waiting = ways.filter { $0.delivery == .queued }.map(\.name)
    let lost = ways.filter(\.delivery.isLost).map(\.name)
    return (waiting.isEmpty ? [] : ["· queued for \(waiting.map(harmless).joined(separator: ", "))"])
      + (lost.isEmpty ? [] : ["· not sent to \(lost.map(harmless).joined(separator: ", "))"])
  }

  var json: JSON {
    [
      "id": .string(post.id.description), "by": .string(by ?? "you"), "by_user": .string(post.sender.description),
      "also_to": .array(alsoTo.map { .string($0) }), "text": .string(post.text), "sent_at": .time(post.sent),
      "read": .bool(post.isRead),
      "image": image?.json ?? .null, "deliveries": .array(ways.map(\.json)),
    ]
  }
}

extension Post {
  /// Its lines, also as other systems end them.
  var textLines: [String] {
    text.replacing("\r\n", with: "\n").split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}

extension NamedPost.Way {
  /// `sent to bob`
  var words: String {
    switch delivery {
    case .queued: "queued for \(harmless(name))"
    case .delivered, .read: "sent to \(harmless(name))"
    case .burnt: "taken back from \(harmless(name))"
    case .refused(.letterMissing): "not sent to \(harmless(name)): \(Explanation.takesNone)"
    case .refused(let reason): "not sent to \(harmless(name)): the server does not take it (\(reason.rawValue))"
    case .givenUp: "not sent to \(harmless(name))"
    }
  }

  fileprivate var json: JSON {
    let reason: String? = if case .refused(let refusal) = delivery { refusal.rawValue } else { nil }
    return [
      "to": .string(name), "to_user": .string(user.description), "state": .string(delivery.word),
      "reason": .text(reason),
    ]
  }
}

extension Complaint {
  /// That a message does not go to somebody; nil where it goes to all of them.
  init?(undelivered ways: [NamedPost.Way]) {
    let lost = ways.filter(\.delivery.isLost)
    if lost.isEmpty { return nil }
    let reason = lost.lazy.compactMap { way -> Refusal? in
      if case .refused(let reason) = way.delivery { reason } else { nil }
    }.first
    let why = reason.map { $0 == .letterMissing ? Explanation.takesNone : Explanation(changes: [], refused: $0).why }
    self.init(
      "refused", .notPermitted, "not sent to \(lost.map(\.name).joined(separator: ", "))\(why.map { ": \($0)" } ?? "")",
      hint: "do not repeat it to others who got it; 'todo status' shows what was refused, and what to do")
  }
}

extension Delivery {
  fileprivate var isLost: Bool {
    switch self {
    case .refused, .givenUp: true
    case .queued, .delivered, .read, .burnt: false
    }
  }

  /// For scripts.
  fileprivate var word: String {
    switch self {
    case .queued: "queued"
    case .delivered: "delivered"
    case .read: "read"
    case .burnt: "burnt"
    case .refused: "refused"
    case .givenUp: "given_up"
    }
  }
}

extension CloudTransaction {
  /// Adds names to what was said.
  func named(_ posts: [Post]) throws -> [NamedPost] {
    var handles = try Handles(self)
    return try posts.map { post in
      let ways = try deliveries(of: post.id).map { user, delivery in
        NamedPost.Way(name: try displayName(of: user), user: user, delivery: delivery)
      }.sorted { $0.name < $1.name }
      let others = post.isOwn ? [] : try users(in: post.conversation).filter { $0 != post.sender }
      return NamedPost(
        post: post, by: try handles.other(post.sender), alsoTo: try others.compactMap { try handles.other($0) },
        image: try picture(of: post), ways: ways)
    }
  }

  private func picture(of post: Post) throws -> NamedImage? {
    guard let image = try post.node.flatMap({ try image($0) }) else { return nil }
    return NamedImage(
      image: image, deed: post.isOwn ? .own : NamedDeed(by: try displayName(of: post.sender)), attachedAt: post.sent,
      bytes: Int64((try? image.file.sizes.data) ?? image.file.layout.length),
      isHere: try isHere(.data, of: image.file))
  }
}
