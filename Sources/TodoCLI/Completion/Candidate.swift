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

extension Collection<UInt8> {
  /// Whether a text in UTF-8 goes on from what somebody typed, whatever the case of ASCII letters.
  func begins(with typed: some Collection<UInt8>) -> Bool {
    func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
    return count >= typed.count && zip(self, typed).allSatisfy { lower($0) == lower($1) }
  }
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
