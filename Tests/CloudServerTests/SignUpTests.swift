import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import Testing

@testable import CloudServer

/// Who may make accounts, how many of them, and under how many names (spec §6.4, §6.8).
struct SignUpTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "token-\(UUID().uuidString)").path

  private func signUp(
    _ world: World, _ person: Person, token: String = "", from origin: String = "203.0.113.9", isLocal: Bool = false
  ) -> String {
    var request = world.request(.accounts, encode(person.signUp(token: token)), as: nil, nil)
    (request.origin, request.isLocal) = (origin, isLocal)
    let response = world.cloud.handle(request)
    return response.status == 201 ? "made" : reason(response)
  }

  @Test func onlyTheMachinesOwnUsersNeedNoToken() throws {
    let token = try SignUpToken(in: folder)
    let world = try World(.local(token.bytes))
    #expect(signUp(world, Person("alice"), isLocal: true) == "made")
    #expect(signUp(world, Person("bob")) == "token-wrong")
    #expect(signUp(world, Person("bob"), token: token.text.uppercased()) == "token-wrong")
    #expect(signUp(world, Person("bob"), token: token.text) == "made")
  }

  @Test func whoSaysNothingAboutItLetsNobodyElseIn() throws {
    let policy = try ServerOptions(folder: folder, listen: "127.0.0.1:8080").policy()
    #expect(throws: Refusal.tokenWrong) { try policy.admit(token: "", isLocal: false) }
    #expect(throws: Never.self) { try policy.admit(token: "", isLocal: true) }
  }

  @Test(arguments: ["127.0.0.1:8080", "localhost", "LOCALHOST:1", "[::1]:8080", "127.1.2.3"])
  func oneOfTheMachineNamesIt(authority: String) {
    #expect(Origin.isLocal(peer: "127.0.0.1", authority: authority) { _ in nil })
    #expect(Origin.isLocal(peer: "::ffff:127.0.0.1", authority: authority) { _ in nil })
    #expect(!Origin.isLocal(peer: "10.0.0.7", authority: authority) { _ in nil })
    #expect(!Origin.isLocal(peer: nil, authority: authority) { _ in nil })
    for field in ["forwarded", "via", "x-forwarded-for", "x-forwarded-proto", "x-real-ip"] {
      #expect(!Origin.isLocal(peer: "::1", authority: authority) { $0 == field ? "" : nil }, "\(field)")
    }
  }

  @Test(arguments: ["todo.example.org", "127.0.0.1.example.org", "localhost.example.org:8080", "", "[::2]", "127.0.0"])
  func whoComesThroughAProxyNamesItsName(authority: String) {
    #expect(!Origin.isLocal(peer: "127.0.0.1", authority: authority) { _ in nil })
  }

  @Test func theTokenIsDrawnOnceAndKeptFromOthers() throws {
    let token = try SignUpToken(in: folder)
    #expect(token.isNew && token.text.count == 26)
    let again = try SignUpToken(in: folder)
    #expect(!again.isNew && again.text == token.text)
    let path = SignUpToken.path(in: folder)
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["sign-up-token"])
    #expect(try SignUpToken(in: folder + "-other").text != token.text)
    // What somebody wrote there themselves counts as well; nothing does not.
    try Data("swordfish\r\nand more\n".utf8).write(to: URL(filePath: path))
    #expect(try SignUpToken(in: folder).text == "swordfish")
    try Data().write(to: URL(filePath: path))
    #expect(throws: StartFailure.tokenFileUnusable(path)) { try SignUpToken(in: folder) }
  }

  @Test func accountsOfOneAddressAreBoundedADay() throws {
    let world = try World()
    for number in 0..<ServerLimits.handlesOfOrigin { #expect(signUp(world, Person("a\(number)")) == "made") }
    let next = Person("next")
    #expect(signUp(world, next) == "too-many")
    #expect(signUp(world, Person("other"), from: "203.0.113.10") == "made")
    #expect(signUp(world, Person("here"), isLocal: true) == "made")
    world.clock.move(by: 24 * 3600 * 1000)
    #expect(signUp(world, next) == "made")
  }

  /// What is refused takes none of an address's share.
  @Test func onlyWhatIsGivenCounts() throws {
    let world = try World()
    let alice = Person("alice")
    #expect(signUp(world, alice) == "made")
    for _ in 0..<60 { #expect(signUp(world, alice) == "made", "a repeat") }
    let thief = Person("alice")
    for _ in 0..<60 { #expect(signUp(world, thief) == "handle-taken") }
    #expect(signUp(world, Person("bob")) == "made")
  }

  @Test func anAccountTakesAFewHandlesForEver() throws {
    let world = try World()
    var alice = try world.member("alice")
    for number in 1..<ServerLimits.handlesOfAccount + 2 {
      alice.add(.setHandle("alice\(number)", rootKey: nil, rootBoxKey: nil))
      let append = WireKeyringAppend.with {
        $0.user = data(alice.user.bytes)
        $0.entries = [alice.entries.last!.wire]
      }
      let response = world.send(.keyringAppend, append, as: alice)
      #expect(reason(response) == (number < ServerLimits.handlesOfAccount ? "" : "limit-exceeded"), "\(number)")
      if response.status != 200 { alice.entries.removeLast() }
    }
    // One that it had is not one more.
    alice.add(.setHandle("alice", rootKey: nil, rootBoxKey: nil))
    let back = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = [alice.entries.last!.wire]
    }
    #expect(world.send(.keyringAppend, back, as: alice).status == 200)
  }

  /// A name that one takes later is refused like an account, and counts like one.
  @Test func renamesCountForTheAddressToo() throws {
    let world = try World()
    var alice = Person("alice")
    for number in 0..<ServerLimits.handlesOfOrigin - 2 { #expect(signUp(world, Person("a\(number)")) == "made") }
    #expect(signUp(world, alice) == "made")
    func rename(_ handle: String) -> CloudResponse {
      alice.add(.setHandle(handle, rootKey: nil, rootBoxKey: nil))
      let append = WireKeyringAppend.with {
        $0.user = data(alice.user.bytes)
        $0.entries = alice.entries.suffix(1).map(\.wire)
      }
      var request = world.request(.keyringAppend, encode(append), as: alice.signer, alice.device)
      request.origin = "203.0.113.9"
      return world.cloud.handle(request)
    }
    #expect(rename("alicia").status == 200)
    #expect(signUp(world, Person("late")) == "too-many")
    let response = rename("alison")
    #expect(response.status == 429 && reason(response) == "too-many")
  }
}
