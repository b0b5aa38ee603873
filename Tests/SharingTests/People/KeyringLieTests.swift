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

  /// Server and mallory together add a device to alice's keyring: not this server.
  @Test func aSmuggledDeviceIsRefusedByTheServer() async throws {
    let stage = try await Stage()
    let (smuggled, entry) = try stage.alice.smuggleDevice()
    let refused = stage.world.cloud.handle(
      try stage.mallory.signed(.keyringAppend, in: stage.world, encode(entry), as: smuggled))
    #expect(refused.status == 400)
    #expect(try decode(WireProblem.self, refused.body).reason == Refusal.signatureBad.rawValue)
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
