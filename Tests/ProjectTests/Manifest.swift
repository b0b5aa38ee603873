import Foundation

/// What `swift package dump-package` says about our package.
struct Manifest: Decodable {
  let targets: [Target]

  struct Target: Decodable {
    let name: String
    let type: String
    let dependencies: [Dependency]
  }

  /// A target of ours, or the product of somebody else's package; products are named like their modules.
  struct Dependency: Decodable {
    let name: String

    init(from decoder: any Decoder) throws {
      // {"byName": ["Signing", null]} or {"product": ["GRDB", "GRDB.swift", null, null]}
      let byKind = try decoder.singleValueContainer().decode([String: [Part?]].self)
      name = byKind.values.first?.first??.text ?? ""
    }

    private struct Part: Decodable {
      let text: String?

      init(from decoder: any Decoder) throws { text = try? decoder.singleValueContainer().decode(String.self) }
    }
  }

  static func read() throws -> Manifest {
    // A folder of its own: the one of the build is locked while tests run, and the checkout stays clean.
    let scratch = FileManager.default.temporaryDirectory.appending(path: "manifest-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: scratch) }
    let dump = try Subprocess.run("swift", "package", "--scratch-path", scratch.path, "dump-package")
    return try JSONDecoder().decode(Manifest.self, from: Data(dump.output.utf8))
  }
}
