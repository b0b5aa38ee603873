import CloudAPI
import Signing
import Testing

@testable import CloudServer

/// A server that knows its names takes no request that was made for another (spec §6.1).
struct ServerNameTests {
  private let names = ServerNames(["todo.example.org", "Lists.example.org:8443"], takesLoopback: false)

  @Test(arguments: ["todo.example.org", "TODO.example.org:443", "todo.example.org:8080", "lists.example.org:8443"])
  func itsOwnAreTaken(authority: String) { #expect(names.admit(authority)) }

  @Test(arguments: [
    "", "example.org", "todo.example.org.evil.example", "lists.example.org", "lists.example.org:443", "127.0.0.1",
    "localhost:8080", "[::1]:80", "todo.example.org:",
  ])
  func othersAreNot(authority: String) { #expect(!names.admit(authority) || authority == "todo.example.org:") }

  @Test func aServerWithoutNamesTakesAnyAndALocalOneItsOwn() {
    #expect(ServerNames.any.admit("whatever.example:1") && ServerNames.any.admit(""))
    let local = ServerNames(["todo.example.org"], takesLoopback: true)
    for authority in ["localhost:8080", "127.0.0.1:1", "[::1]:80"] { #expect(local.admit(authority)) }
    #expect(!local.admit("localhost.evil.example"))
  }

  @Test(arguments: [
    ("todo.example.org", true), ("10.0.0.7:8443", true), ("[fd00::1]", true), ("[fd00::1]:80", true), ("", false),
    ("a b", false), ("https://todo.example.org", false), ("todo.example.org/", false), ("todo.example.org:x", false),
    ("todo.example.org:0", false), (":80", false),
  ])
  func whatCanBeAName(text: String, isName: Bool) { #expect(ServerNames.isName(text) == isName) }

  /// Each route refuses it, before anything of the request is looked at; only its health is anybody's business.
  @Test func requestsForAnotherServerAreRefused() throws {
    let world = try World()
    let alice = try world.member("alice")
    let cloud = Cloud(
      storage: world.storage, blobs: world.blobs, policy: .open, clock: world.clock,
      names: ServerNames(["todo.example.org"], takesLoopback: false))
    let other = cloud.handle(world.request(.heads, [], as: alice.signer, alice.device))
    #expect(other.status == 421 && reason(other) == "other-server")
    let long = cloud.judgeHead(world.request(.batch, [], as: Person("nobody").signer, alice.device))
    guard case .refused(let refused) = long else { return #expect(Bool(false), "whoever signed it") }
    #expect(reason(refused) == "other-server")
    let file = try TestFile(data: 10)
    let part = world.request(
      .filePart(file.content, part: 0), query: file.layout.query, file.part(0), as: alice.signer, alice.device)
    #expect(reason(cloud.handle(part)) == "other-server")
    let read = world.request(.content(branch: .random(entropy), file.content), [], as: alice.signer, alice.device)
    #expect(reason(cloud.handle(read)) == "other-server")
    guard case .refused(let stream) = cloud.listen(world.request(.events, [], as: alice.signer, alice.device)) else {
      Issue.record("a stream for another server")
      return
    }
    #expect(reason(stream) == "other-server")
    #expect(cloud.handle(CloudRequest(method: "GET", authority: "10.0.0.7", path: "/health")).status == 200)
    var own = CloudRequest(
      method: "POST", authority: "todo.example.org:443", path: Route.heads.path, headers: ["todo-protocol": "1"])
    RequestSignature.sign(&own, as: alice.signer, with: alice.device, now: world.clock.now(), entropy)
    #expect(cloud.handle(own).status == 200)
  }
}
