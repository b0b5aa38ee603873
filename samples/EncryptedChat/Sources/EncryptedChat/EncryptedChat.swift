import CloudAPI
import Sharing
import Synchronization

/// Alice and Bob meet in a directory that they do not trust.
@main struct EncryptedChat {
  static func main() async throws {
    let server = try ChatServer()
    print("# Alice, Bob and Mallory register.")
    let alice = try await Chatter(registering: "alice", at: server)
    let bob = try await Chatter(registering: "bob", at: server)
    let mallory = try await Chatter(registering: "mallory", at: server)
    print("the server knows the name alice: \(try server.holds("alice"))\n")

    print("# Alice and Bob look each other up, and compare their numbers by telephone.")
    print("somebody called robert: \(try await alice.find("robert") == nil ? "nobody" : "found")")
    let (friend, caller) = (try await found("bob", by: alice), try await found("alice", by: bob))
    let digits = try bob.number(with: caller).description
    print(
      "bob reads out \(digits.count { $0.isNumber }) digits, and alice's are the same: \(try alice.verify(friend, hearing: digits))"
    )
    _ = try bob.verify(caller, hearing: digits)
    let other = try mallory.number(with: friend).description
    print("those that mallory has with bob are the same: \(try alice.verify(friend, hearing: other))\n")

    try await encrypt(alice, bob, friend, server)
    try await forge(alice, bob, friend, server)
    try await impersonate(at: server)
  }

  /// What goes out is sealed to whom it is for, and signed.
  private static func encrypt(_ alice: Chatter, _ bob: Chatter, _ friend: Person, _ server: ChatServer) async throws {
    print("# Alice writes to Bob. The server has the message, and cannot read it.")
    let text = "The key is under the mat."
    try await alice.send(text, to: friend)
    print("it stands on the server's disk in clear: \(try server.holds(text))")
    try await receive(bob)
  }

  /// Who changes a message on its way is noticed.
  private static func forge(_ alice: Chatter, _ bob: Chatter, _ friend: Person, _ server: ChatServer) async throws {
    print(
      "# The next one is changed on its way. Bob is shown nothing of it, and gets it when it comes as it was signed.")
    try await alice.send("I moved it to the shed.", to: friend)
    server.transport.tamper { request, answer in
      // What is sealed comes in a page, and alone when somebody asks for it again.
      let isPage = request.path == "/v1/pull" && answer.body.count > 300
      guard isPage || request.path.hasPrefix("/v1/contents/") else { return answer }
      var forged = answer
      forged.body[isPage ? answer.body.count - 200 : answer.body.count / 2] ^= 1
      return forged
    }
    try await receive(bob)
    server.transport.tamper(nil)
    try await receive(bob)
  }

  /// A directory that answers with another person is not believed.
  private static func impersonate(at server: ChatServer) async throws {
    print("# Carol registers. Whoever runs the server tells her that Mallory is Bob.")
    let carol = try await Chatter(registering: "carol", at: server)
    let kept = Kept()
    server.transport.tamper { request, answer in
      if request.path.hasSuffix("/mallory") { kept.answer.withLock { $0 = answer } }
      return request.path.hasSuffix("/bob") ? kept.answer.withLock { $0 } ?? answer : answer
    }
    _ = try await found("mallory", by: carol)
    do {
      _ = try await found("bob", by: carol)
      print("carol takes mallory for bob")
    } catch let refusal as Refusal {
      print("carol believes nothing of it: \(refusal.rawValue)")
    }
    server.transport.tamper(nil)
    _ = try await found("bob", by: carol)
    print("carol finds bob")
  }

  private static func found(_ handle: String, by chatter: Chatter) async throws -> Person {
    guard let person = try await chatter.find(handle) else { throw ShareError.unknownUser(handle) }
    return person
  }

  private static func receive(_ bob: Chatter) async throws {
    for reason in try await bob.receive() { print("bob does not believe what came: \(reason.rawValue)") }
    print("bob reads:")
    for line in try bob.read() { print("  \(line)") }
    print()
  }
}

/// What the server says of somebody, to be said of somebody else.
private final class Kept: Sendable {
  let answer = Mutex<CloudResponse?>(nil)
}
