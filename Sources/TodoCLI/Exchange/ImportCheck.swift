import Formats
import TodoCore

/// What can be imported, and what of it cannot though its line could be read.
struct ImportCheck {
  private(set) var sound: [TodoFile.Entry] = []
  private(set) var broken: [BrokenEntry]
  /// How many of the sound ones come without something that nobody can type: others may have written it.
  private(set) var cleaned = 0
  /// How many of them come with less of a text that was too long.
  private(set) var shortened = 0

  /// - Parameter format: of our own file everything comes back, however somebody wrote it.
  init(_ entries: [TodoFile.Entry], _ broken: [BrokenEntry], format: ExchangeFormat) {
    self.broken = broken
    for entry in entries {
      var entry = entry
      do {
        let isLong = entry.isTooLong
        if try entry.clean(isOurs: format == .json || isLong) { if isLong { shortened += 1 } else { cleaned += 1 } }
        sound.append(entry)
      } catch {
        let title = Complaint.shortened(entry.todo.title)
        self.broken.append(BrokenEntry(line: 0, reason: "'\(title)': \(Self.reason(error))"))
      }
    }
  }

  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as TitleError: Complaint(error).message
    case let error as NoteError: Complaint(error).message
    default: "it cannot be used"
    }
  }
}

extension TodoFile.Entry {
  /// Whether a text of it is longer than one may be: another program has no such limit.
  fileprivate var isTooLong: Bool {
    todo.title.utf8.count > Title.limit || (notes + comments.map(\.text)).contains { $0.utf8.count > Note.limit }
  }

  /// Takes out what nobody can type, and what is too much. Returns whether there was anything.
  fileprivate mutating func clean(isOurs: Bool) throws -> Bool {
    let before = self
    todo.title = try Self.title(todo.title, isOurs)
    notes = try notes.map { try Self.note($0, isOurs) }
    for index in comments.indices { comments[index].text = try Self.note(comments[index].text, isOurs) }
    return self != before
  }

  private static func title(_ text: String, _ isOurs: Bool) throws -> String {
    do {
      _ = try Title(text)
      return text
    } catch {
      guard isOurs || error == .controlCharacter || error == .empty else { throw error }
      return Title(suiting: text).text
    }
  }

  private static func note(_ text: String, _ isOurs: Bool) throws -> String {
    do {
      _ = try Note(text)
      return text
    } catch {
      guard isOurs || error == .controlCharacter else { throw error }
      return Note(suiting: text).text
    }
  }
}
