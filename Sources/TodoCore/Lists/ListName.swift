/// What a person may call a list: a title that can stand where a command expects a list.
public struct ListName: Hashable, Sendable {
  /// The list that takes todos nobody named a list for.
  public static let standard = ListName(unchecked: "Todo")

  /// The text, without spaces around it.
  public let text: String

  /// Checks what somebody typed.
  public init(_ typed: some StringProtocol) throws(ListNameError) {
    do {
      text = try Title(typed).text
    } catch {
      throw .title(error)
    }
    guard !text.contains("/") else { throw .slash }
    if let first = text.first, "-+@".contains(first) { throw .firstCharacter(first) }
  }

  private init(unchecked text: String) { self.text = text }

  /// Of a name in a pointer, in bytes of UTF-8: with a number behind it, it still fits into the metadata of a node.
  static let limit = 900

  /// What a list of this title may be called, whatever somebody has written there.
  package static func suiting(_ title: String) -> String {
    let text = String(Title(suiting: title).text.replacing("/", with: "-").drop { "-+@ ".contains($0) }).cut(to: limit)
    return text.isEmpty ? "untitled" : text
  }
}

/// Why a text is no list name.
public enum ListNameError: Error, Equatable, Sendable {
  case title(TitleError)
  /// `List/title` names a todo.
  case slash
  /// `-`, `+` and `@` begin options, tags and people.
  case firstCharacter(Character)
}
