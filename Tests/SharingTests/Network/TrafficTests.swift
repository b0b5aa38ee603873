import CloudAPI
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore
import Treesystem

/// What goes over the wire, and how much of it.
@Suite struct TrafficTests {
  /// Sharing is inherited by branch: its price does not depend on what is on the list.
  @Test(arguments: [10, 1_000])
  func sharingAListSendsOnePermissionsRecordAndOneMessage(_ count: Int) async throws {
    let world = try World(seed: "\(count)")
    let bob = try await world.person("bob")
    let alice = try await world.person("alice")
    try alice.database.write { transaction in
      let list = try transaction.makeList("Groceries")
      try transaction.addTodos((1...count).map { try Title("todo \($0)") }, to: list.node)
    }
    try await alice.sync()
    #expect(try alice.unsent() == 0)
    alice.transport.clearTraffic()
    try await alice.share("Groceries", with: "bob", note: "all of it")
    try await alice.sync()
    var counts: [String: Int] = [:]
    for operation in alice.transport.sentOperations { counts[operation.word, default: 0] += 1 }
    #expect(counts == ["permit": 1, "put": 1, "copy": 1], "the put is the message in alice's outbox")
    try await bob.sync()
    try bob.accept()
    try await bob.sync()
    #expect(try bob.titles("Groceries").count == count)
    #expect(try bob.quarantine().isEmpty)
  }

  static let typed = [
    "Xylophonkäse", "Zwetschgenröster", "Überraschungsei für Jürgen", "Quokkafutter 🥑 שלום", "Wfmlqpz plain ascii",
  ]

  /// Handles apart, nothing that somebody typed is in the server's folder or in any request or answer.
  @Test func theServerNeverSeesWhatSomebodyTyped() async throws {
    let world = try World(seed: "private")
    let alice = try world.device("alice")
    let (list, note, edited) = ("Räuberliste Kjq", "Geburtstagsüberfall Vxw", "Gurkenhobel Ypt")
    try alice.add(list, Self.typed[0], Self.typed[1], Self.typed[2])
    try await alice.session.signUp(handle: "alice", server: "test")
    try await alice.sync()
    let bob = try await world.person("bob")
    try await alice.share(list, with: "bob", note: note)
    try await alice.sync()
    try await bob.sync()
    try bob.accept()
    try await bob.sync()
    #expect(try bob.titles(list).count == 3)
    try bob.add(list, Self.typed[3], Self.typed[4])
    try bob.edit(Self.typed[0], to: edited)
    try bob.tick(Self.typed[1])
    try await settle(bob, alice)
    #expect(try alice.titles(list).contains(edited))
    let secrets = (Self.typed + [list, note, edited]).flatMap(Self.traces)
    var seen: [(String, [UInt8])] = []
    for file in try files(below: world.folder.appendingPathComponent("server")) {
      seen.append((file.lastPathComponent, Array(try Data(contentsOf: file))))
    }
    #expect(seen.count >= 2)
    for device in [alice, bob] {
      for (request, response) in device.transport.traffic.with({ $0 }) {
        let head = [request.method, request.path, request.query, request.authority].joined(separator: "\n")
        let headers = (request.headers.map { $0 } + (response?.headers.map { $0 } ?? [])).map { "\($0): \($1)" }
        seen.append((request.path, Array((head + headers.joined(separator: "\n")).utf8)))
        seen.append((request.path, request.body))
        seen.append((request.path, response?.body ?? []))
      }
    }
    for (place, bytes) in seen {
      let haystack = Data(bytes)
      for secret in secrets { #expect(haystack.range(of: secret) == nil, "in \(place)") }
    }
    // The search finds what is there: handles are no secret.
    #expect(seen.contains { Data($0.1).range(of: Data("alice".utf8)) != nil })
  }

  /// How a text might show: as it is, in other forms and encodings, and in part.
  private static func traces(of text: String) -> [Data] {
    let forms = [text, text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping]
    let words = text.split(separator: " ").map(String.init).filter { $0.utf8.count >= 7 }
    return (forms + words + [text.lowercased(), text.uppercased()]).flatMap { form -> [Data] in
      let utf8 = Data(form.utf8)
      let hex = utf8.map { String(format: "%02x", $0) }.joined()
      let utf16 = form.data(using: .utf16LittleEndian) ?? utf8
      let latin = form.data(using: .isoLatin1) ?? utf8
      // Base64 at each of the three offsets, without the characters that its neighbours change.
      let base64 = (0..<3).map { offset in
        let padded = Data(repeating: 0, count: offset) + utf8
        return Data(padded.base64EncodedString().dropFirst(offset == 0 ? 0 : 4).dropLast(4).utf8)
      }
      return [utf8, utf16, latin, Data(hex.utf8), Data(hex.uppercased().utf8)] + base64.filter { $0.count >= 6 }
    }
  }

  private func files(below folder: URL) throws -> [URL] {
    let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    return names.map { folder.appendingPathComponent($0) }.filter { url in
      var isFolder: ObjCBool = false
      return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && !isFolder.boolValue
    }
  }
}

extension WireOperation {
  /// Which of the four operations it is.
  var word: String {
    switch change {
    case .put: "put"
    case .delete: "delete"
    case .permit: "permit"
    case .copy: "copy"
    case nil: "nothing"
    }
  }
}
