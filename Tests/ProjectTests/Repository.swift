import Foundation

/// The checkout that these tests were compiled from.
enum Repository {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().standardizedFileURL

  /// What is in the repository or would be with the next commit, as paths from its root, in order.
  static let files: [String] = {
    // The owner of a checkout in CI is often somebody else; git asks to be told that this is fine.
    let git = try? Subprocess.run(
      "git", "-c", "safe.directory=*", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    let listed =
      git.flatMap { $0.status == 0 ? $0.output.split(separator: "\0").map(String.init) : nil } ?? everything()
    return listed.filter { FileManager.default.fileExists(atPath: root.appending(path: $0).path) }.sorted()
  }()

  /// Our Swift files that people write, below `folders`.
  static func swiftFiles(in folders: String...) -> [String] {
    files.filter { path in
      path.hasSuffix(".swift") && !path.hasSuffix(".pb.swift") && folders.contains { path.hasPrefix("\($0)/") }
    }
  }

  /// The lines of a text file; none if it is not UTF-8.
  static func lines(of path: String) throws -> [String] {
    let data = try Data(contentsOf: root.appending(path: path))
    guard let text = String(data: data, encoding: .utf8) else { return [] }
    return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// For a source archive, which has no history: all files.
  private static func everything() -> [String] {
    let all = FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []
    let ignored = [".build", ".git", "Package.resolved"]
    return all.filter { path in
      let facts = try? FileManager.default.attributesOfItem(atPath: root.appending(path: path).path)
      return facts?[.type] as? FileAttributeType == .typeRegular && !ignored.contains { path.hasPrefix($0) }
    }
  }
}
