import ArgumentParser
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo message <user>… <text>|-`
struct MessageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "message",
    abstract: "Say something to somebody.",
    usage: """
      todo message <user>… <text>|-
      todo message <user>… <text>|- --image <file> [--keep-metadata]
      todo message <user> --image <file>
      """,
    discussion: """
      Only they can read it. The last word is what you say, at most 32 KiB; '-' reads it from standard input. Several people get \
      one message, and see who else did. 'sent' means that it lies with the server for them, \
      also where they have blocked you: that nobody tells you. Somebody who has not met you sees it as a request first.

      Examples:
        todo message bob "which sauce?"
        todo message bob "this one" --image sauce.jpg
        todo message bob carol - < plan.txt
      """)

  @OptionGroup var options: GlobalOptions

  @Option(help: ArgumentHelp("A picture to send with it: JPEG, PNG, WebP or GIF.", valueName: "file"))
  var image: [String] = []

  @Flag(help: "Keep what the camera wrote into the picture, such as the place.")
  var keepMetadata = false

  @Argument(help: ArgumentHelp("Whom it is for, and what to say.", valueName: "user"))
  var words: [String]

  func validate() throws {
    if keepMetadata, image.isEmpty { throw ValidationError("--keep-metadata needs --image") }
    if image.count > 1 { throw ValidationError("--image stands there \(image.count) times") }
    if words.count < 2, image.isEmpty {
      throw ValidationError("say whom it is for, and what: todo message bob \"hello\"")
    }
  }

  func run() async throws {
    // With a picture a single word is whom it is for.
    let isWordless = words.count == 1
    let users = isWordless ? words : Array(words.dropLast())
    let last = isWordless ? "" : words[words.count - 1]
    let text = last == "-" ? try StandardInput.text() : last
    let session = try Session.open(options)
    _ = try session.requireAccount()
    let people = try await session.people(called: users)
    try session.read { try $0.requireSayable(text, to: people, hasImage: !image.isEmpty) }
    var sealed: SealedPicture?
    if let path = image.first { sealed = try await session.seal(path, keepsMetadata: keepMetadata) }
    let post = try session.change { try $0.say(text, to: people, with: sealed?.file) }
    try await session.syncAfterwards(files: sealed != nil, isStrict: false)
    let said = try session.read { try $0.named(post) }
    try session.voice.tell(SaidPage(post: said, attached: sealed?.picture))
    try session.tellNews()
    if let complaint = Complaint(undelivered: said.ways) { throw complaint }
  }
}

/// What became of what was just said.
struct SaidPage: Page {
  let post: NamedPost
  let attached: AttachedPicture?

  func lines(_ style: Style) -> [String] {
    post.ways.map(\.words) + (attached.map { [harmless($0.words)] } ?? [])
  }

  var members: [JSON.Member] {
    [.init(key: "message", value: post.json), .init(key: "attached", value: attached?.json ?? .null)]
  }
}
