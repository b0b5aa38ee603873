import Foundation
import Glibc
import Testing

/// The server never sees what a user typed, handles apart: looked for in every byte that it got, stored and logged.
@Suite struct ServerSeesNothingTests {
  /// What is typed on the page below, and every line of the groceries.
  private static let typed = [
    "Zwetschgenknödel", "zwetschgenmus", "Quittengelee", "let's tackle this holiday dinner", "Kürbiskernöl",
    "Mohnstrudel", "Festtafel",
  ]

  private static let story = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    relay$ fake-server relay=<port:server> 127.0.0.1:0
    fake-server: listening on http://127.0.0.1:<port:relay>
    alice$ todo add Festtafel Zwetschgenknödel Quittengelee --quiet
    alice$ todo add Festtafel - --quiet < groceries.txt
    alice$ todo signup alice --server http://127.0.0.1:<port:relay> --quiet
    bob$ todo signup bob --server http://127.0.0.1:<port:relay> --quiet
    alice$ todo share Festtafel --with bob -m "let's tackle this holiday dinner" --quiet
    bob$ todo accept 1 --quiet
    bob$ todo add Festtafel Kürbiskernöl --quiet
    bob$ todo done Quittengelee --quiet
    bob$ todo edit Zwetschgenknödel --title zwetschgenmus --quiet
    bob$ todo sync --quiet
    alice$ todo sync --quiet
    alice$ todo lists rename Festtafel Mohnstrudel --quiet
    alice$ todo rm zwetschgenmus --quiet
    alice$ todo sync --quiet
    alice$ todo recovery --out words.txt --quiet
    phone$ todo login alice --server http://127.0.0.1:<port:relay> --quiet < words.txt
    phone$ todo ls Mohnstrudel | grep Kürbis
      <id> Kürbiskernöl · bob
    other$ todo-server --data server --listen 127.0.0.1:0
    todo-server: error: another todo-server uses the folder server
    todo-server: hint: stop the other one first, or give --data another folder
    [exit 75]
    """

  @Test func nothingTypedReachesTheServer() async throws {
    let story = try Page(name: "(what the server sees)", text: Self.story)
    let seen = try await onThread { () -> Seen in
      let stage = try Stage()
      defer { try? stage.clear() }
      try stage.play(story)
      return try Seen(stage)
    }
    // What must be there shows that we look in the right places: handles, and a path of the protocol.
    #expect(seen.stored.contains("bob") && seen.traffic.contains("alice") && seen.logged.contains("POST accounts"))
    let groceries = try String(contentsOf: Samples.folder.appending(path: "groceries.txt"), encoding: .utf8)
    let words = seen.words.split(whereSeparator: \.isWhitespace).chunked(by: 3).map { $0.joined(separator: " ") }
    #expect(words.count == 8)
    for text in Self.typed + groceries.split(separator: "\n").map(String.init) + words {
      #expect(seen.places(of: text) == [], "\(text)")
    }
  }
}

/// All that came to a server.
private struct Seen {
  let stored: Data
  let traffic: Data
  let logged: Data
  /// Not the server's: the recovery words, to look for.
  let words: String

  init(_ stage: Stage) throws {
    let folder = stage.folder.appending(path: "server")
    var stored = Data()
    for file in FileManager.default.enumerator(at: folder, includingPropertiesForKeys: nil)?.allObjects ?? [] {
      guard let file = file as? URL, !file.hasDirectoryPath else { continue }
      stored += Data(file.lastPathComponent.utf8) + (try Data(contentsOf: file))
    }
    self.stored = stored
    traffic = Data((stage.program(of: "relay") as? FakeServer)?.traffic ?? [])
    logged = try Data(contentsOf: stage.folder.appending(path: "server.log"))
    words = try String(contentsOf: stage.folder.appending(path: "words.txt"), encoding: .utf8)
  }

  /// Where a text stands, as UTF-8 or in another writing of the same bytes.
  func places(of text: String) -> [String] {
    let bytes = Data(text.utf8)
    let utf16 = Data(text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] })
    let hex = Data(bytes.map { String(format: "%02x", $0) }.joined().utf8)
    // Each of the three ways in which base64 can cut the bytes, without what depends on those beside them.
    let base64 = (0..<3).map { Data(bytes.dropFirst($0).base64EncodedString().prefix((bytes.count - $0) / 3 * 4).utf8) }
    return [("stored", stored), ("traffic", traffic), ("logged", logged)].compactMap { name, place in
      ([bytes, utf16, hex] + base64).contains(where: place.contains) ? name : nil
    }
  }
}

extension Data {
  fileprivate func contains(_ text: String) -> Bool { contains(Data(text.utf8)) }

  /// As `firstRange(of:)` finds it, a hundred times faster.
  fileprivate func contains(_ bytes: Data) -> Bool {
    withUnsafeBytes { place in
      bytes.withUnsafeBytes { bytes in
        guard let wanted = bytes.baseAddress, var from = place.baseAddress else { return false }
        let end = from + place.count
        while end - from >= bytes.count, let found = memchr(from, Int32(bytes[0]), end - from - bytes.count + 1) {
          if memcmp(found, wanted, bytes.count) == 0 { return true }
          from = UnsafeRawPointer(found) + 1
        }
        return false
      }
    }
  }
}

extension Array {
  fileprivate func chunked(by size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
