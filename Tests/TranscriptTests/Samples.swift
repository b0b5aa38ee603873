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

  /// Reads a page.
  static func page(_ name: String) throws -> Page {
    try Page(name: name, text: String(contentsOf: folder.appending(path: name), encoding: .utf8))
  }
}

/// Runs something that waits for programs on a thread of its own, so that other tests go on meanwhile.
func onThread<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Swift.Result { try body() }) }
  }
}
