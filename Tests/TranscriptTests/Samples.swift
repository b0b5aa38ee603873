import Foundation

/// Where the pages are, and the programs that they run.
enum Samples {
  /// The folder of the pages.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appending(path: "samples")

  /// The folder that these tests were built into, and with them `todo` and `todo-server`.
  static let programs = (Bundle.main.executableURL ?? URL(filePath: CommandLine.arguments[0]))
    .resolvingSymlinksInPath().deletingLastPathComponent()

  /// What is in the folder.
  static func files() throws -> [URL] {
    try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
  }

  /// The names of the pages; with `TODO_PAGE` only the one that it names.
  static let pages: [String] = {
    let all = ((try? files()) ?? []).filter { $0.pathExtension == "transcript" }.map(\.lastPathComponent).sorted()
    guard let only = ProcessInfo.processInfo.environment["TODO_PAGE"] else { return all }
    return all.filter { $0 == only + ".transcript" }
  }()

  /// The pages that not every machine can play.
  static let demanding = pages.filter { (try? page($0))?.need != nil }

  /// Whether this machine can play them.
  static func needsAreMet() async throws -> Bool {
    try await onThread {
      let stage = try Stage()
      defer { try? stage.clear() }
      let needs = try demanding.compactMap { try page($0).need }
      return try needs.allSatisfy { try Program($0, as: "needs", in: stage.folder).exit == 0 }
    }
  }

  /// Reads a page.
  static func page(_ name: String) throws -> Page {
    try Page(name: name, text: String(contentsOf: folder.appending(path: name), encoding: .utf8))
  }

  /// The commands under "First five minutes" in README.md that need no terminal and end by themselves, each of which succeeds.
  static func firstMinutes(server: String) throws -> Page {
    let text = try String(contentsOf: folder.appending(path: "../README.md"), encoding: .utf8)
    let start = text.firstRange(of: "## First five minutes")?.upperBound ?? text.endIndex
    let section = text[start...].prefix(upTo: text[start...].firstRange(of: "\n## ")?.lowerBound ?? text.endIndex)
    let commands = section.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("    todo") else { return nil }
      let command = line.drop { $0 == " " }.prefix { $0 != "#" }.replacing("todo.example.org", with: server)
      return ["todo recovery", "todo watch"].contains(where: command.hasPrefix) ? nil : "alice$ \(command)\n..."
    }
    return try Page(name: "(first five minutes in README.md)", text: commands.joined(separator: "\n"))
  }

  /// The session at the top of README.md: what is indented before the first heading. Its ids stand for any.
  static func readme() throws -> Page {
    let name = "../README.md"
    let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
    // Other lines become empty ones, so that a mismatch names the right line.
    let lines = text.prefix(upTo: text.firstRange(of: "\n## ")?.lowerBound ?? text.endIndex)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .map { $0.hasPrefix("    ") ? String($0.dropFirst(4)) : "" }
    let added = lines.compactMap { $0.prefixMatch(of: #/added ([a-z0-9]{4}) /#)?.1 }
    let session = added.reduce(lines.joined(separator: "\n")) { text, id in text.replacing(id, with: "<id:\(id)>") }
    return try Page(name: name, text: session.replacing(/\bid [a-z2-7]{32}/, with: "id <user>"))
  }
}

/// Runs something that waits for programs on a thread of its own, so that other tests go on meanwhile. A few at once: were all of them, each
/// would take as long as all together, and a program that gives something up after some time would do so here.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread {
      places.wait()
      let result = Swift.Result { try body() }
      places.signal()
      continuation.resume(with: result)
    }
  }
}

private let places = DispatchSemaphore(value: 8)
