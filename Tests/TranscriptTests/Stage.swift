import Foundation
import Testing

/// What a command came to.
struct Outcome {
  /// All that it printed, on standard output and standard error.
  let lines: [String]
  let exit: Int32
}

/// Plays on a stage of its own. Where something else comes than is written, the test fails and says what.
func onStage(_ play: @escaping @Sendable (Stage) throws -> Void) async throws {
  let mismatch = try await onThread { () -> String? in
    let stage = try Stage()
    defer { try? stage.clear() }
    do { try play(stage) } catch let mismatch as Mismatch { return mismatch.description }
    return nil
  }
  if let mismatch { Issue.record("\(mismatch)") }
}

/// Where a page plays: a folder of its own, with the people, their devices, and the servers that they run.
final class Stage {
  /// Every command's working folder. A person's profiles are in the folder of that name in it.
  let folder: URL
  private var running: [String: any Running] = [:]
  private var placeholders = Placeholders()

  /// Makes the folder, and puts what is not a page of `samples/` in it.
  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "todo-page-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    for file in try Samples.files() where ["txt", "png"].contains(file.pathExtension) {
      try FileManager.default.copyItem(at: file, to: folder.appending(path: file.lastPathComponent))
    }
  }

  /// Stops what still runs, and removes the folder.
  func clear() throws {
    for program in running.values { _ = program.stop() }
    running = [:]
    try FileManager.default.removeItem(at: folder)
  }

  /// Gives a page's commands in turn, up to the first that does not do what the page says. What each came to.
  @discardableResult func play(_ page: Page) throws -> [Outcome] {
    try page.steps.map { step in
      var step = step
      step.command = placeholders.filled(step.command)
      let actual = try outcome(of: step, on: page.terminal)
      guard placeholders.fit(step.output[...], actual.lines[...]), actual.exit == step.exit else {
        throw Mismatch(page: page.name, step: step, actual: actual, placeholders: placeholders)
      }
      return actual
    }
  }

  /// Plays what is not a page of `samples/`.
  func play(text: String) throws { try play(Page(name: "(text)", text: text)) }

  /// The program that somebody runs and has not stopped.
  func program(of person: String) -> (any Running)? { running[person] }

  /// Nothing is synced but what a page says, so that each plays the same way every time; a page about it turns it on.
  private func settle(_ person: String) throws {
    let home = folder.appending(path: person)
    guard !FileManager.default.fileExists(atPath: home.path) else { return }
    try FileManager.default.createDirectory(
      at: home, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data("background-sync = false\n".utf8).write(to: home.appending(path: "config.toml"))
  }

  private func outcome(of step: Page.Step, on terminal: String?) throws -> Outcome {
    if step.command == "^C" {
      let exit = running.removeValue(forKey: step.person)?.stop()
      return Outcome(lines: [], exit: exit ?? -1)
    }
    if step.command == "^\\" {
      let exit = running.removeValue(forKey: step.person)?.kill()
      return Outcome(lines: [], exit: exit == 128 + SIGKILL ? 0 : exit ?? -1)
    }
    let words = step.command.split(separator: " ").map(String.init)
    switch words.first {
    case "fake-server":
      let server = try FakeServer(arguments: Array(words.dropFirst()))
      running[step.person] = server
      return Outcome(lines: ["fake-server: listening on http://127.0.0.1:\(server.port)"], exit: 0)
    case "todo-server": return try start(step)
    default:
      try settle(step.person)
      let program = try Program(step.command, as: step.person, in: folder, on: terminal)
      return Outcome(lines: trimmed(program.lines(after: .seconds(240)) { _ in false }), exit: program.exit)
    }
  }

  /// Starts a server, and waits for as many lines as the page expects; or for its end, if the page expects that.
  private func start(_ step: Page.Step) throws -> Outcome {
    let program = try Program("exec " + step.command, as: step.person, in: folder)
    let lines = program.lines(after: .seconds(60)) { step.exit == 0 && $0.count >= step.output.count }
    guard program.isRunning else { return Outcome(lines: lines, exit: program.exit) }
    running[step.person] = program
    return Outcome(lines: Array(lines.prefix(step.output.count)), exit: 0)
  }
}
