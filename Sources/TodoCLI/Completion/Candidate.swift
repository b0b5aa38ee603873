import Formats
import TodoCore

/// What the word that somebody is typing could become.
struct Candidate: Equatable {
  /// The whole word, as the program is to get it.
  let value: String
  var explanation = ""

  /// One line for the shell: what cannot stand in a line is left out, and such a value is none.
  var line: String? {
    guard !value.isEmpty, value.isPlainASCII || !value.unicodeScalars.contains(where: \.isUnsafeOnTerminals) else {
      return nil
    }
    return explanation.isEmpty ? value : "\(value)\t\(harmless(explanation))"
  }

  /// In place of candidates: the shell is to propose files.
  static let files = Candidate(value: ":files")
}

/// What kind of word stands in a place of a command.
enum WordKind: Equatable {
  case list
  case filteredList
  case todo(TodoState)
  case filteredTodo(TodoState)
  case user
  case member
  case invite
  case tag
  case filter
  case date
  case file
  case setting
  case device
  case command
  case one(of: [String])
  case none
}
