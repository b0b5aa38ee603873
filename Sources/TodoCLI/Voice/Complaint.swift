/// Why a command did not do what it was asked: what the two lines on standard error say, and the exit status.
struct Complaint: Error, Equatable {
  /// One word or two for scripts, in snake case.
  var kind: String
  var exit: Exit
  /// Lower case, no full stop.
  var message: String
  /// What to do about it, lower case, no full stop.
  var hint: String
  /// What was meant, where it can be read in several ways or was nearly right.
  var candidates: [String] = []

  init(_ kind: String, _ exit: Exit, _ message: String, hint: String, candidates: [String] = []) {
    self.kind = kind
    self.exit = exit
    self.message = message
    self.hint = hint
    self.candidates = candidates
  }

  /// The same about the sync after a change: a script that repeated the command would change something twice.
  var afterChange: Complaint {
    var complaint = self
    let stored = "the change is stored and goes with the next 'todo sync', do not repeat it"
    complaint.hint = kind == "unreachable" ? stored : "\(stored); \(hint)"
    return complaint
  }

  /// The command line cannot be understood.
  static func usage(_ message: String, hint: String, candidates: [String] = []) -> Complaint {
    Complaint("usage", .usage, message, hint: hint, candidates: candidates)
  }

  /// As the one object that `--json` promises.
  var json: JSON {
    [
      "schema": 1,
      "error": [
        "kind": .string(kind), "message": .string(message), "hint": .string(hint),
        "candidates": .array(candidates.map { .string($0) }),
      ],
    ]
  }
}
