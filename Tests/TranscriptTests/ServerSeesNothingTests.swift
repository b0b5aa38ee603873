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
    stored = try Data(allOf: folder)
    traffic = Data((stage.program(of: "relay") as? FakeServer)?.traffic ?? [])
    logged = try Data(contentsOf: stage.folder.appending(path: "server.log"))
    words = try String(contentsOf: stage.folder.appending(path: "words.txt"), encoding: .utf8)
  }

  /// Where a text stands.
  func places(of text: String) -> [String] {
    [("stored", stored), ("traffic", traffic), ("logged", logged)].compactMap { name, place in
      place.holds(text) ? name : nil
    }
  }
}

extension Array {
  fileprivate func chunked(by size: Int) -> [ArraySlice<Element>] {
    stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
  }
}
