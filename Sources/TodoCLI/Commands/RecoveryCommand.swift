import ArgumentParser
import Glibc
import Signing
import Treesystem

/// `todo recovery`
struct RecoveryCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery",
    abstract: "Show your 24 recovery words, and check that you have them.",
    usage: "todo recovery [--out <file> | --rehearse]",
    discussion: """
      The words sign you in on a new device, and are the only way back once you have no device left. Whoever has them has \
      your account, so write them on paper, or put the file where nobody else looks. On a terminal you are asked for three of \
      them; once you have shown that you have them, they are erased from this device. Nobody can make them anew.

      Examples:
        todo recovery
        todo recovery --out words.txt
        todo recovery --rehearse < words.txt
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("Write the words to a new file that only you can read.", valueName: "file"))
  var out: String?

  @Flag(help: "Read all 24 words from standard input; then erase them from this device.")
  var rehearse = false

  func validate() throws {
    if rehearse, out != nil { throw ValidationError("--out and --rehearse exclude each other") }
  }

  func run() async throws {
    let session = try Session.open(options)
    let words = try session.recoveryWords()
    if let out {
      try writePrivate(words.words, to: out)
      try session.voice.tell(RecoveryPage(outcome: "wrote the words to \(out)", file: out, erased: false))
    } else if rehearse {
      try session.rehearseAll(words)
    } else {
      try session.showAndRehearse(words)
    }
  }
}

extension Session {
  /// So often somebody may type each word.
  private static let attempts = 3

  fileprivate func recoveryWords() throws -> RecoveryWords {
    _ = try requireAccount()
    guard let root = try read({ try $0.root() }) else {
      throw Complaint(
        "erased", .notFound, "the recovery words are not on this device",
        hint:
          "they were erased once you had shown that you have them, or are on the device that signed up; 'todo login --approve' adds a device without them"
      )
    }
    return RecoveryWords(root: root)
  }

  fileprivate func rehearseAll(_ words: RecoveryWords) throws {
    let given = try StandardInput.secret("your 24 words: ", voice: voice).split(whereSeparator: \.isWhitespace)
    guard given.count == words.words.count else { throw Complaint(WordsError.count(given.count) as any Error) }
    if let wrong = zip(given, words.words).enumerated().first(where: { $0.element.0.lowercased() != $0.element.1 }) {
      throw Complaint.wrongWord(wrong.offset + 1)
    }
    try erase()
  }

  fileprivate func showAndRehearse(_ words: RecoveryWords) throws {
    guard voice.isConversation, isatty(STDOUT_FILENO) == 1, !voice.wantsJSON else {
      throw Complaint.usage(
        "the words are shown on a terminal only", hint: "use --out <file>, and --rehearse to check them")
    }
    let columns = stride(from: 0, to: words.words.count, by: 4).map { row in
      words.words[row..<row + 4].enumerated().map { column, word in
        "\(pad(String(row + column + 1), to: 4, left: true)) \(column == 3 ? word : pad(word, to: 9))"
      }.joined()
    }
    try voice.tell(
      text: (["write these words down on paper, in order; whoever has them has your account:", ""] + columns + [""])
        .joined(separator: "\n"))
    _ = voice.ask("press return when you have them, the screen is cleared then ")
    voice.clearScreen()
    for number in Array(1...24).shuffled().prefix(3).sorted() {
      guard asks(for: number, of: words) else { throw Complaint.wrongWord(number) }
    }
    try erase()
  }

  /// Asks for a word until it is right: somebody who slips once has the words all the same.
  private func asks(for number: Int, of words: RecoveryWords) -> Bool {
    for attempt in 1...Self.attempts {
      let typed = voice.ask("word \(number): ")?.split(whereSeparator: \.isWhitespace).first?.lowercased()
      if typed == words.words[number - 1] { return true }
      if attempt < Self.attempts { voice.note("that is another word: look at what you wrote down") }
    }
    return false
  }

  private func erase() throws {
    try database.write { try $0.eraseRoot() }
    try voice.tell(
      RecoveryPage(outcome: "you have your words; they are erased from this device", file: nil, erased: true))
  }
}

/// Writes words to a new file that only its owner can read.
private func writePrivate(_ words: [String], to path: String) throws {
  let lines = stride(from: 0, to: words.count, by: 6).map { words[$0..<$0 + 6].joined(separator: " ") + "\n" }
  switch DurableFile(path: path).create(Array(lines.joined().utf8)) {
  case 0: return
  case EEXIST:
    throw Complaint(
      "cannot_write", .cannotWrite, "'\(path)' exists already", hint: "choose another name; nothing was overwritten")
  case let code where code == ENOSPC || code == EDQUOT || code == EIO:
    throw Complaint(
      "disk", code == EIO ? .disk : .cannotWrite, "cannot write '\(path)'",
      hint: "\(code == EIO ? "check the disk" : "free some space"); the words are still on this device")
  default:
    throw Complaint(
      "cannot_write", .cannotWrite, "cannot write '\(path)'", hint: "choose a folder that you can write in")
  }
}

/// What became of the words. Never the words.
struct RecoveryPage: Page {
  let outcome: String
  let file: String?
  let erased: Bool

  func lines(_ style: Style) -> [String] { [harmless(outcome)] }

  var members: [JSON.Member] { [.init(key: "file", value: .text(file)), .init(key: "erased", value: .bool(erased))] }

  var hints: [String] {
    guard let file, !erased else { return [] }
    return [
      "whoever has the file has your account: take it off this device, to where nobody else looks",
      "then show that you have the words, and they are erased here: todo recovery --rehearse < \(shellQuoted(file))",
    ]
  }
}

extension Complaint {
  fileprivate static func wrongWord(_ number: Int) -> Complaint {
    Complaint(
      "words", .badData, "word \(number) of yours is another",
      hint: "your words stay on this device: run 'todo recovery' again, and compare them with what you wrote down")
  }
}
