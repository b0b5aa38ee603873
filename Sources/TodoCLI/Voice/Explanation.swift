import CloudAPI

/// What a refusal means to somebody who only uses lists, and what to do about it.
struct Explanation: Equatable {
  /// Half a sentence.
  let why: String
  /// A line each, the best first.
  let advice: [String]

  init(_ why: String, _ advice: String...) { self.init(why, advice: advice) }

  init(_ why: String, advice: [String]) {
    self.why = why
    self.advice = advice
  }

  var members: [JSON.Member] {
    [.init(key: "why", value: .string(why)), .init(key: "advice", value: .array(advice.map { .string($0) }))]
  }
}

extension Explanation {
  /// Of changes that were refused for one reason, on one list.
  init(of changes: [QueuedChange]) {
    if changes[0].isRestored {
      self.init(afterRestore: changes)
    } else if let owner = changes[0].unsharedBy {
      self.init(unshared: changes, by: owner)
    } else if changes[0].reason == .branchClosed, let list = changes[0].list {
      self.init(changes, onDeleted: list)
    } else if changes[0].reason == .letterMissing, changes[0].isMessage {
      self.init(refusedByRecipient: changes.map(\.number))
    } else if changes[0].reason == .limitExceeded, changes[0].words.isImage {
      self.init(tooLarge: changes.map(\.number))
    } else {
      self.init(changes: changes.map(\.number), refused: changes[0].reason)
    }
  }

  /// Why a message is refused that has no other fault.
  static let takesNone = "they take no messages from you"

  /// Of messages to somebody who has the server refuse whoever sent them.
  private init(refusedByRecipient numbers: [Int64]) {
    let words = ChangeNumbers(numbers).text
    self.init(
      Self.takesNone, "give \(numbers.count == 1 ? "it" : "them") up: todo sync --discard \(words)")
  }

  /// Of images: another one is another change.
  private init(tooLarge numbers: [Int64]) {
    let isOne = numbers.count == 1
    self.init(
      "too large for the server",
      "attach \(isOne ? "a smaller one in its place" : "smaller ones in their place"): todo image add <todo> <file>",
      "or give \(isOne ? "it" : "them") up: todo sync --discard \(ChangeNumbers(numbers).text)")
  }

  /// Of changes on a list of which a server that was set back to a backup has lost who is on it.
  private init(afterRestore changes: [QueuedChange]) {
    let isOne = changes.count == 1
    self.init(
      "the server was set back to a backup, and has lost who is on the list",
      "give it back what it lost: todo doctor --repair-server; then \(isOne ? "it goes" : "they go") by \(isOne ? "itself" : "themselves")",
      "or give \(isOne ? "it" : "them") up: todo sync --discard \(ChangeNumbers(changes.map(\.number)).text)")
  }

  /// Of changes on a list that is no longer shared: nothing that is done here sends them.
  private init(unshared changes: [QueuedChange], by owner: String) {
    let isOne = changes.count == 1
    let isOwn = owner == "you"
    why =
      isOwn
      ? "the server says that you may not write there, though it is yours by all that was read here: nobody gets \(isOne ? "this" : "these")"
      : "it was \(owner)'s list, and you are on it no more: nobody gets \(isOne ? "this" : "these")"
    advice = [
      changes[0].isOwnerGone
        ? nil
        : (isOwn ? "ask whoever runs the server" : "ask \(owner) to share it with you again")
          + ": then \(isOne ? "it goes" : "they go") by \(isOne ? "itself" : "themselves")",
      changes[0].list.map { Self.keep($0, changes) },
      "or give \(isOne ? "it" : "them") up: todo sync --discard \(ChangeNumbers(changes.map(\.number)).text)",
    ].compactMap { $0 }
  }

  /// Of changes on a list that its owner has deleted for everybody.
  private init(_ changes: [QueuedChange], onDeleted list: String) {
    let isOne = changes.count == 1
    self.init(
      "the list was deleted by its owner: nobody gets \(isOne ? "this" : "these")", Self.keep(list, changes),
      "or give \(isOne ? "it" : "them") up: todo sync --discard \(ChangeNumbers(changes.map(\.number)).text)")
  }

  /// How a list's contents are kept, and which of these changes are not among them.
  private static func keep(_ list: String, _ changes: [QueuedChange]) -> String {
    let left = changes.filter(\.isAboutMembers)
    let kept = changes.count - left.count
    let names = left.map(\.words.text).joined(separator: ", ")
    return "make it a list of your own" + (kept == 0 ? "" : kept == 1 ? ", with this" : ", with these")
      + (left.isEmpty ? "" : " (\(names) \(left.count == 1 ? "does" : "do") not come along)")
      + ": todo lists keep \(shellQuoted(list))"
  }

  /// Of changes that the server refused for one reason.
  init(changes numbers: [Int64], refused reason: Refusal?) {
    let words = ChangeNumbers(numbers).text
    let retry = "todo sync --retry \(words)"
    let discard = "or give \(numbers.count == 1 ? "it" : "them") up: todo sync --discard \(words)"
    switch reason {
    case .letterMissing:
      self.init("your role on the list does not permit it", "ask its owner or an admin, then: \(retry)", discard)
    case .branchDenied:
      self.init(
        "the server says that you are not on the list any more",
        "it is sent once you are let in again: ask its owner or an admin", discard)
    case .branchClosed:
      self.init("its list was deleted by its owner", "'todo lists keep <list>' makes it one of your own", discard)
    case .limitExceeded: self.init("too large for the server", "make it smaller, and it is sent again", discard)
    case .contentMissing:
      self.init(
        "the image is not whole on this device any more", "attach it again, from the file that you have of it", discard)
    case .deviceUnknown:
      self.init(
        "the server does not know this device any more", "sign in again with 'todo login', then: \(retry)", discard)
    case .refusalUnfounded:
      self.init(
        "the server refuses it without ground, so nothing else on this list is sent before it",
        "it is tried again with every sync; ask whoever runs the server", discard)
    case .tooMany:
      self.init("too much of yours waits there already", "wait until they have read it, then: \(retry)", discard)
    case .diskFull: self.init("the server's disk is full", "tell whoever runs it, then: \(retry)", discard)
    case .quotaExceeded:
      self.init(
        "what you keep there takes all the room that the server gives you",
        "take off some images, and a week later: \(retry)",
        discard)
    default:
      self.init(
        "the server did not accept it (\(reason?.rawValue ?? "no reason given"))", "try once more: \(retry)", discard)
    }
  }

  /// Of something that came from the server and was not believed.
  init(unbelieved reason: Refusal) {
    let again = "fetch it again: todo doctor --repair"
    switch reason {
    case .keyMismatch:
      self.init(
        "this device cannot open it yet", "somebody who shares the list may have to sync first: todo sync", again)
    case .contentMismatch, .contentUnopenable, .paddingWrong, .nameTokenWrong, .malformed, .suiteUnknown:
      self.init(
        "it cannot be read here: a newer todo wrote it, or it was damaged", "update todo, then \(again)",
        "if it stays, ask whoever wrote it to change it once more")
    case .parentWrong, .branchMismatch, .nameTaken, .rowMissing, .contentMissing:
      self.init("something that belongs to it has not come", "it may come with the next one: todo sync", again)
    case .stampAhead:
      self.init(
        "it says that it was written more than a day from now",
        "if that is still so in an hour, whoever has an earlier version puts that back; a change of yours does so at once",
        "somebody's clock is wrong, or they want the last word: 'todo show' says who shares the list")
    case .limitExceeded, .tooManyBranches:
      self.init(
        "there is more of it than todo reads (\(reason.rawValue))",
        "ask whoever wrote it to take some away, then \(again)")
    default:
      self.init(
        "it does not bear the signature of anybody who may write there (\(reason.rawValue))",
        "nothing of it was taken over; \(again)", "if it stays, ask whoever runs the server")
    }
  }

  /// Of an invitation that was accepted when its list was not shared any more.
  /// - Parameter isGone: whether whoever offered it has deleted their account.
  init(late list: String, by sender: String, isGone: Bool = false) {
    let forget = "forget it: todo lists rm \(shellQuoted(list))"
    self.init(
      "you accepted it, but you are on it no more; nothing of it came",
      advice: isGone ? [forget] : ["ask \(sender) to share it with you again", "or \(forget)"])
  }

  /// Of a list that this user left before this device read anything of it.
  static let leftUnread = Explanation(
    "you left it on another device, before anything of it came to this one, so its name is not known here",
    "nothing has to be done here")

  /// Of an invitation to a list that this user has left since on another device.
  init(left list: String, by sender: String) {
    self.init(
      "you left it on another device, before anything of it came to this one",
      "ask \(sender) to share it with you again", "or forget it: todo lists rm \(shellQuoted(list))")
  }

  /// Of a list that had ended for this user before this device read anything of it.
  static let neverRead = Explanation(
    "you are on it no more, and this device had read nothing of it, so its name is not known here",
    "what you had read of it is on your other devices: 'todo lists' there; nothing has to be done here")

  /// Of a list on which the server has gone on without what this device has read.
  static let startAgain =
    "to go on with what the server has: 'todo logout --keep-lists' keeps a copy of what is here, then 'todo login'"

  /// Of a list that has ended for this user.
  init(_ end: EndedList) {
    why = end.why
    advice = end.advice
  }

  /// Of a list, or the account itself, that cannot be read any further.
  init(unreadable reason: Refusal) {
    switch reason {
    case .fork:
      self.init(
        "the server shows another past than it did before: it was set back to a backup, or somebody deceives you",
        "your todos here are as they were; if it was set back to a backup, give it back what it lost: todo doctor --repair-server",
        "else ask whoever runs the server what happened", Self.startAgain)
    case .clockSkew, .tooMany, .tooSlow, .nonceSeen, .internal, .diskFull:
      self.init("the server could not answer (\(reason.rawValue))", "try again later: todo sync")
    default:
      self.init(
        "what the server sends does not fit together (\(reason.rawValue))",
        "your todos here are as they were; try again: todo sync", "if it stays, ask whoever runs the server")
    }
  }
}

/// A word as a shell takes it, whatever is in it.
func shellQuoted(_ text: String) -> String {
  let isPlain = !text.isEmpty && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
  return isPlain && !text.hasPrefix("-") ? text : "'\(text.replacing("'", with: "'\\''"))'"
}
