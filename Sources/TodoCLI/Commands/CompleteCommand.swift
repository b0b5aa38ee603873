import ArgumentParser
import TodoCore
import Treesystem

/// `todo complete-words -- <word>…`: what the scripts of `todo completions` ask.
struct CompleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete-words", abstract: "Say what the last word could become.", shouldDisplay: false)

  @OptionGroup var options: GlobalOptions

  @Argument var words: [String] = []

  /// Nothing is asked, told or made here, whatever goes wrong: somebody is in the middle of a line.
  func run() throws {
    let completion = Completion(words)
    var options = options
    options.profile = completion.profile ?? options.profile
    guard let candidates = try? completion.candidates({ try Session.peek(options) }) else { return }
    let lines = candidates == [.files] ? [Candidate.files.value] : candidates.compactMap(\.line)
    if !lines.isEmpty { try Voice().tell(text: lines.joined(separator: "\n")) }
  }
}

/// `todo completions bash|zsh|fish`
struct CompletionsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "completions",
    abstract: "Print what makes a shell complete commands, lists, todos and people.",
    usage: "todo completions bash|zsh|fish",
    discussion: """
      Examples:
        todo completions bash > ~/.local/share/bash-completion/completions/todo
        todo completions zsh > ~/.zfunc/_todo        (with ~/.zfunc in fpath, before compinit)
        todo completions fish > ~/.config/fish/completions/todo.fish
        source <(todo completions bash)              (for this shell only)
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "bash, zsh or fish.")
  var shell: String

  func run() throws {
    guard let script = CompletionScript(rawValue: shell.lowercased()) else {
      throw Complaint.usage("there is no completion for '\(Complaint.shortened(shell))'", hint: "say bash, zsh or fish")
    }
    try options.voice.tell(text: script.text)
  }
}
