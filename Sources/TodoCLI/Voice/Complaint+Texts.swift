import Signing
import TodoCore

extension Complaint {
  init(_ error: TitleError) {
    switch error {
    case .empty:
      self.init("empty_title", .badData, "the title is empty", hint: "say what is to do: todo add \"buy milk\"")
    case .tooLong(let bytes):
      self.init(
        "title_too_long", .badData, "the title is too long: \(bytes) bytes, at most \(Title.limit)",
        hint: "split it into several todos")
    case .controlCharacter:
      self.init(
        "control_character", .badData, "the title has control characters, such as a line break or tab",
        hint: "leave them out; 'todo add <list> -' takes one title a line")
    }
  }

  init(_ error: ListNameError) {
    switch error {
    case .title(let error):
      self.init(error)
      message = message.replacing("title", with: "name")
      hint = error == .empty ? "say a name: todo lists add Groceries" : "choose a short name of one line"
    case .slash:
      self.init("list_name", .badData, "a list's name has no '/'", hint: "'List/title' refers to a todo on a list")
    case .firstCharacter(let character):
      self.init(
        "list_name", .badData, "a list's name does not begin with '\(character)'",
        hint: "'-' begins options, '+' tags, '@' people")
    }
  }

  init(_ error: NoteError) {
    switch error {
    case .tooLong(let bytes):
      self.init(
        "note_too_long", .badData, "the note is too long: \(bytes) bytes, at most \(Note.limit)",
        hint: "shorten it, or split it over several todos")
    case .controlCharacter:
      self.init(
        "control_character", .badData, "the note has control characters other than line breaks and tabs",
        hint: "leave them out")
    }
  }

  init(_ error: TagError) {
    switch error {
    case .empty: self.init("tag", .badData, "the tag is empty", hint: "say a word, such as +urgent")
    case .tooLong(let bytes):
      self.init(
        "tag", .badData, "the tag is too long: \(bytes) bytes, at most \(Tag.limit)", hint: "choose a shorter word")
    case .notAWord:
      self.init(
        "tag", .badData, "a tag is one word", hint: "leave out spaces, '+' and control characters")
    case .tooMany:
      self.init(
        "too_many_tags", .badData, "the todo has \(Tag.countLimit) tags already, and may not have more",
        hint: "take one away first")
    }
  }

  init(_ error: WordsError) {
    switch error {
    case .count(let count):
      self.init(
        "words", .badData, "these are \(count) words, not 24", hint: "give all 24, in order, with spaces between")
    case .unknownWord(let number):
      self.init(
        "words", .badData, "word \(number) is not one of the words that are used", hint: "check how it is written")
    case .checksum:
      self.init(
        "words", .badData, "these 24 words do not belong together", hint: "check each word, and their order")
    }
  }

  static func listExists(_ name: String) -> Complaint {
    Complaint(
      "list_exists", .badData, "you have a list named '\(shortened(name))' already", hint: "choose another name")
  }
}

/// Checks titles, and says which is wrong.
func titles(_ texts: [(number: Int?, text: String)]) throws -> [Title] {
  try texts.map { number, text in
    do {
      return try Title(text)
    } catch {
      var complaint = Complaint(error)
      if let number {
        complaint.message = "line \(number): \(complaint.message)"
        complaint.hint = "correct the line; nothing was changed"
      }
      throw complaint
    }
  }
}
