import CloudAPI
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// A list of which one device has read another past than the server's, and that is deleted on another.
@Suite struct ForkedListTests {
  @Test func itsPointerIsNotPutAgainForWhatCannotBeSent() async throws {
    let world = try World(seed: "forked list")
    let alice = try await world.person("alice")
    let phone = try await alice.second("phone", "alice", in: world)
    try alice.add("Work", "Mail")
    try await alice.sync()
    try await phone.sync()
    let branch = try alice.branch("Work")
    phone.transport.setTamper { request, response in
      if request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        Array(asked.branch) == branch.bytes
      {
        return .refusing(.fork, status: 409)
      }
      return Lie(branch: branch).head(response, to: request) { HeadLie.anotherHash.change(&$0) }
    }
    try phone.add("Work", "Call Bob")
    #expect(try await phone.sync().troubles == [branch: .fork])
    try alice.database.write { transaction in
      for list in try transaction.lists() where list.name == "Work" { try transaction.removeList(list) }
    }
    // Once to tell of the deletion, and then everybody has had their say.
    for _ in 0..<2 { for device in [alice, phone] { try await device.sync() } }
    for device in [alice, phone, alice, phone] { #expect(try await device.sync().sent == 0) }
    #expect(try phone.titles("Work") == ["Call Bob", "Mail"])
    // With an honest server what waits can go, and brings its list back.
    phone.transport.setTamper { _, response in response }
    for _ in 0..<3 { for device in [phone, alice] { try await device.sync() } }
    #expect(try phone.titles("Work").contains("Call Bob"))
    #expect(try alice.titles("Work") == phone.titles("Work"))
    #expect(try phone.unsent() == 0)
  }
}
