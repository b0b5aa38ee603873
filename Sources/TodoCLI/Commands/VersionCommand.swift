import ArgumentParser
import CloudAPI

/// `todo version`, and `todo --version`
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "version",
    abstract: "Show which todo this is.",
    usage: "todo version",
    discussion: """
      Example:
        todo version --json
      """,
    shouldDisplay: false)

  @OptionGroup var options: GlobalOptions

  func run() throws { try options.voice.tell(VersionPage()) }
}

/// Which version this is, and which protocol it speaks.
struct VersionPage: Page {
  func lines(_ style: Style) -> [String] { [TodoCommand.version] }

  var members: [JSON.Member] {
    [
      .init(key: "version", value: .string(TodoCommand.version)),
      .init(key: "protocol", value: .int(Int64(protocolVersion))),
    ]
  }
}
