/// Whether a profile has a passphrase, and what opened it.
enum LockState: Equatable {
  /// It has none.
  case open
  /// The kernel keeps its key until a time, in milliseconds.
  case unlocked(until: Int64)
  /// Likewise, and then it is gone for good: the file that a passphrase opens is not there, or is another key's.
  case keyless(until: Int64)
  /// The kernel keeps no keys: the command of the settings, or somebody at the terminal, opened it for this command alone.
  case once

  /// In half a sentence.
  var words: String {
    switch self {
    case .open: "no passphrase: anybody who can read this disk can read your lists (todo lock)"
    case .unlocked(let until): "unlocked until \(localTime(until)); 'todo lock' locks it at once"
    case .keyless(let until):
      "unlocked until \(localTime(until)), and todo.db.key is gone: without it nothing opens this profile after that"
    case .once: "locked, and opened for this command only"
    }
  }

  /// What is to be done before it is too late; nil where nothing is.
  var advice: String? {
    if case .keyless = self { "write the file anew, under a passphrase: todo lock" } else { nil }
  }

  var json: JSON {
    switch self {
    case .open: ["passphrase": false, "unlocked_until": .null]
    case .unlocked(let until), .keyless(let until): ["passphrase": true, "unlocked_until": .time(until)]
    case .once: ["passphrase": true, "unlocked_until": .null]
    }
  }
}
