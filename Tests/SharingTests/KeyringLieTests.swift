import CloudAPI
import CloudServer
import Foundation
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// Whose keys are whose is not for a server to say.
@Suite struct KeyringLieTests {
  @Test func anotherUsersRootKeyIsRefusedByTheServer() async throws {
    let world = try World()
    let alice = try await world.person("alice")
    let forged = try SignUp(handle: "eve", entropy: SystemEntropy(), now: 0).claiming(to: alice.user())
    let response = world.cloud.handle(
      CloudRequest(
        method: "POST", authority: "test", path: Route.accounts.path, headers: ["todo-protocol": "1"],
        body: forged.request(token: "")))
    #expect(response.status == 400)
    #expect(try decode(WireProblem.self, response.body).reason == Refusal.rootMismatch.rawValue)
  }

  @Test func anotherUsersRootKeyIsRefusedByAClient() async throws {
    let world = try World()
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let bobID = try bob.user()
    let forged = SignUp(handle: "bob", entropy: SystemEntropy(), now: 0).claiming(to: bobID)
    let lie = encode(
      WireKeyring.with {
        $0.user = data(bobID.bytes)
        $0.entries = forged.keyring.map(\.wire)
      })
    alice.transport.setTamper { request, response in
      guard request.path == Route.handle("bob").path else { return response }
      return CloudResponse(status: 200, headers: response.headers, body: lie)
    }
    try alice.add("Groceries", "Milk")
    await #expect(throws: Refusal.rootMismatch) { try await alice.share("Groceries", with: "bob") }
    #expect(try alice.database.read { try $0.person(handle: "bob") } == nil)
    alice.transport.setTamper { _, response in response }
    try await alice.share("Groceries", with: "bob")
    try await settle(alice, bob)
    #expect(try bob.invites().count == 1)
  }

  /// A server that names an account of its own among the heads makes nobody known by that, and its handle means nothing here.
  @Test func aServerIntroducesNobody() async throws {
    let world = try World()
    let (alice, eve) = (try await world.person("alice"), try await world.person("eve"))
    let eveID = try eve.user()
    alice.transport.setTamper { request, response in
      guard request.path == Route.heads.path, var heads = try? decode(WireHeads.self, response.body) else {
        return response
      }
      heads.keyrings.append(
        .with {
          $0.user = data(eveID.bytes)
          $0.position = 99
        })
      return CloudResponse(status: 200, headers: response.headers, body: encode(heads))
    }
    for _ in 0..<2 { try await alice.sync() }
    #expect(try alice.database.read { try $0.person(handle: "eve") } == nil)
    #expect(try alice.database.read { try $0.keyring(eveID) } == nil)
  }

  @Test func theKeyringOfSomebodyElseUnderAHandleIsRefusedOnceItWasMet() async throws {
    let world = try World()
    let (alice, bob, eve) = (
      try await world.person("alice"), try await world.person("bob"), try await world.person("eve")
    )
    let first = try #require(try await alice.session.lookUp(handle: "bob"))
    let eves = world.cloud.handle(try eve.signed(.handle("eve"), in: world)).body
    alice.transport.setTamper { request, response in
      request.path == Route.handle("bob").path
        ? CloudResponse(status: 200, headers: response.headers, body: eves) : response
    }
    #expect(try await alice.session.lookUp(handle: "bob") == first)
    #expect(try first.user == bob.user())
  }

  @Test func aKeyringUnderAHandleThatItDoesNotNameIsRefused() async throws {
    let world = try World()
    let (alice, eve) = (try await world.person("alice"), try await world.person("eve"))
    let eves = world.cloud.handle(try eve.signed(.handle("eve"), in: world)).body
    alice.transport.setTamper { request, response in
      request.path == Route.handle("bob").path
        ? CloudResponse(status: 200, headers: response.headers, body: eves) : response
    }
    await #expect(throws: Refusal.userMismatch) { try await alice.session.lookUp(handle: "bob") }
  }

  /// Server and mallory together add a device to alice's keyring and write with it.
  @Test func aSmuggledDeviceIsBelievedByNobody() async throws {
    let stage = try await Stage()
    let world = stage.world
    let (smuggled, entry) = try stage.alice.smuggleDevice()
    let refused = world.cloud.handle(
      try stage.mallory.signed(.keyringAppend, in: world, encode(entry), as: smuggled))
    #expect(refused.status == 400)
    #expect(try decode(WireProblem.self, refused.body).reason == Refusal.signatureBad.rawValue)
    stage.carol.transport.setTamper { request, response in
      guard request.path == Route.keyrings.path, var keyrings = try? decode(WireKeyrings.self, response.body) else {
        return response
      }
      for index in keyrings.keyrings.indices where keyrings.keyrings[index].user == entry.user {
        keyrings.keyrings[index].entries += entry.entries
      }
      return CloudResponse(status: response.status, headers: response.headers, body: encode(keyrings))
    }
    let hand = try Hand(stage.alice, on: stage.branch)
    var sheet = try hand.todo()
    sheet.header.author.device = smuggled.device
    sheet.header.author.keyringPosition = 5
    var draft = hand.sign(sheet)
    draft.record = SignedRecord(signing: sheet.header, with: smuggled.key)
    try stage.plant(draft)
    #expect(try await stage.carol.sync().troubles.isEmpty)
    #expect(try stage.carol.quarantine().map(\.reason) == [.keyringStale])
    #expect(try stage.carol.titles("Groceries") == ["Eggs", "Milk"])
    try await stage.alice.sync()
    try stage.alice.add("Groceries", "Bread")
    try await settle(stage.alice, stage.carol)
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
  }

  /// A lie about somebody's inbox keeps the message to them back, and nothing else.
  @Test func aForgedInboxGetsNoMessage() async throws {
    let world = try World()
    let (alice, bob) = (try await world.person("alice"), try await world.person("bob"))
    let eve = try await world.person("eve")
    let evesInbox = Trunk.inbox.cloudID(of: try eve.user())
    let question = encode(WirePermissionsRequest.with { $0.branch = data(evesInbox.bytes) })
    let forged = world.cloud.handle(try eve.signed(.permissions, in: world, question)).body
    alice.transport.setTamper { request, response in
      request.path == Route.permissions.path
        ? CloudResponse(status: 200, headers: response.headers, body: forged) : response
    }
    try alice.add("Groceries", "Milk")
    try await alice.share("Groceries", with: "bob")
    let inbox = Trunk.inbox.cloudID(of: try bob.user())
    let report = try await alice.sync()
    #expect(report.troubles == [inbox: .branchMismatch])
    #expect(report.unsent == 1)
    #expect(alice.transport.sentOperations.allSatisfy { $0.copy == .init() })
    alice.transport.setTamper { _, response in response }
    try await settle(alice, bob)
    #expect(try bob.invites().count == 1)
    #expect(try alice.unsent() == 0)
  }
}

extension SignUp {
  /// The same with somebody else's userID in every keyring entry.
  func claiming(to user: UserID) -> ForgedSignUp {
    var chain = KeyringChain(user: user, now: 0)
    for record in keyring {
      guard let body = try? KeyringEntryBody(decoding: record.body) else { continue }
      chain.append(body.change, signedBy: root.signing)
    }
    return ForgedSignUp(keyring: chain.records, trunks: trunks.map(\.record))
  }
}

struct ForgedSignUp {
  let keyring: [SignedRecord]
  let trunks: [SignedRecord]

  func request(token: String) -> [UInt8] {
    encode(
      WireSignUp.with {
        $0.keyring = keyring.map(\.wire)
        $0.permissions = trunks.map(\.wire)
      })
  }
}

/// A device that nobody with the right to do so has added.
struct SmuggledDevice {
  let device: DeviceID
  let key: SigningKey
}

extension Device {
  func user() throws -> UserID { try database.read { try $0.identity().user } }

  /// A request as this device signs it, or as another one of the same user would.
  func signed(_ route: Route, in world: World, _ body: [UInt8] = [], as other: SmuggledDevice? = nil) throws
    -> CloudRequest
  {
    let identity = try database.read { try $0.identity() }
    var request = CloudRequest(
      method: route.method, authority: "test", path: route.path, headers: ["todo-protocol": "1"], body: body)
    let user = try other == nil ? identity.user : fixed(decode(WireKeyringAppend.self, body).user)
    RequestSignature.sign(
      &request, as: Caller(user: user, device: other?.device ?? identity.device),
      with: other?.key ?? identity.signingKey, now: world.clock.now(), SystemEntropy())
    return request
  }

  /// An entry that adds a device to this user's keyring, signed by that device itself in this device's name.
  func smuggleDevice() throws -> (SmuggledDevice, WireKeyringAppend) {
    let key = SigningKey(SystemEntropy())
    let box = PublicKey.random(SystemEntropy())
    let id = DeviceID(signKey: key.publicKey, boxKey: box)
    let (identity, keyring) = try database.read { transaction in
      let identity = try transaction.identity()
      return (identity, try transaction.keyring(identity.user))
    }
    guard let keyring else { throw TreeError.notSignedIn }
    var chain = KeyringChain(after: keyring, now: 0)
    chain.append(
      .addDevice(.init(device: id, signKey: key.publicKey, boxKey: box, generation: 0, sealedUserKey: [])),
      signedBy: key, signer: identity.device)
    let append = WireKeyringAppend.with {
      $0.user = data(identity.user.bytes)
      $0.entries = chain.records.map(\.wire)
    }
    return (SmuggledDevice(device: id, key: key), append)
  }
}
