import Sharing
import Signing
import TodoCore

/// What somebody says about a todo, with names.
struct NamedComment {
  let comment: TodoComment
  /// The handle of who wrote it; nil for oneself.
  let by: String?
  /// The handle of who passes it on in their name, "you" for oneself.
  let via: String?

  fileprivate static let oneself = "you"

  /// `bob, 2026-11-20 21:40:`, and below it what they say.
  func lines(_ style: Style, _ text: [String]) -> [String] {
    let who =
      (by.map { harmless($0) } ?? "you")
      + (via.map { $0 == Self.oneself ? ", as you say" : ", as \(harmless($0)) says" } ?? "")
    return [style.quiet("\(who), \(localTime(comment.time)):")] + text.map { "  \($0)" }
  }

  var json: JSON {
    [
      "id": .string(comment.id.description), "text": .string(comment.text), "by": .string(by ?? "you"),
      "by_user": .text((comment.writer ?? comment.author)?.description), "via": .text(via),
      "written_at": .time(comment.time),
    ]
  }
}

extension Handles {
  /// Adds names to a comment. Whose name stands on it is only as good as the word of who signed it.
  mutating func named(_ comment: TodoComment) throws -> NamedComment {
    NamedComment(
      comment: comment, by: try other(comment.writer ?? comment.author),
      via: try comment.via.map { try other($0) ?? NamedComment.oneself })
  }
}
