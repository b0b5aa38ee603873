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
}

/// Why a text is no list name.
public enum ListNameError: Error, Equatable, Sendable {
  case title(TitleError)
  /// `List/title` names a todo.
  case slash
  /// `-`, `+` and `@` begin options, tags and people.
  case firstCharacter(Character)
}
