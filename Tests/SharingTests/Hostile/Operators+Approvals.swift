import CloudAPI
import Foundation
import Lies
import Sealing
import Signing
import SwiftProtobuf
import TestSupport
import Testing

@testable import Sharing
@testable import Treesystem

/// Alice's new laptop asks to be added by her other device, and the server stands between them.
extension Operator {
  static let approvals: [Operator] =
    [
      Operator("answer of a device that has other keys", .loginAnswerer, [.login: .ends(.nonsense)]) { scene, _ in
        try await scene.askToBeAdded()
        try await scene.holdStill("laptop")
        scene.act = Scene.step
        scene.server.change(.loginPoll, WireLoginState.self) {
          $0.boxKey = data(BoxKey(SystemEntropy()).publicKey.bytes)
        }
      },
      Operator("second answer to a new device", .loginFirstAnswer, [.login: .harmless(.before)]) { scene, _ in
        let (_, code) = try await scene.compareCodes()
        try await scene.holdStill("laptop")
        scene.act = Scene.step
        scene.server.change(.loginPoll, WireLoginState.self) { $0.nonce = data([UInt8](repeating: 1, count: 32)) }
        scene.check = { scene in
          let shown = try scene.victim.database.read { try $0.loginRequest() }?.code
          #expect(shown == code)
        }
      },
      added("addition that nobody has approved") { _, _ in },
      // Somebody who has alice's phone signs it, and not the device whose code was compared.
      added("addition by another device than the one that answered") { scene, laptop in
        let phone = try scene.device("phone")
        guard let request = try laptop.database.read({ try $0.loginRequest() }) else { throw LogInFailure.loginEnded }
        let opening = try LoginOpening(
          bytes: request.opening, of: request.login,
          commitment: digest(.loginCommitment, request.login.bytes + request.opening))
        let (user, entries) = try phone.database.read { try ($0.requireAccount().user, $0.entries(adding: opening)) }
        let append = WireKeyringAppend.with {
          $0.user = data(user.bytes)
          $0.entries = (entries ?? []).map(\.wire)
        }
        try await phone.session.connection().call(.keyringAppend, append)
      },
      // The account's device is shown another new device from the start. Its user compares what the laptop shows.
      Operator("keys of a new device exchanged", .loginCode, [.login: .fails("untrusted", .reports)]) { scene, _ in
        try await scene.askToBeAdded(answered: false)
        try await scene.holdStill("alice")
        try scene.exchangeOpening { $0.commitment = data($1.bytes) }
        scene.server.begin(on: scene.alice.transport)
        let (_, code) = try await scene.compareCodes(asking: false)
        scene.act = { device in
          guard let login = try await device.session.logins().first else { throw DeviceFailure.noLogin }
          _ = try await device.session.approve(login.id, code: code)
          return try await device.sync()
        }
      },
    ]
    + [
      opened("new device that opens something else than it has committed to") { _, _ in },
      opened("new device that has committed to something else before") { $0.commitment = data($1.bytes) },
    ]

  /// The server says that the laptop was added, and shows a keyring for it.
  private static func added(
    _ name: String, _ prepare: @escaping @Sendable (Scene, Device) async throws -> Void
  ) -> Operator {
    Operator(name, .loginAdder, [.login: .fails("notAdded", .reports)]) { scene, _ in
      let (laptop, _) = try await scene.compareCodes()
      try await prepare(scene, laptop)
      try await scene.holdStill("laptop")
      scene.act = { device in
        if try device.database.read({ try $0.account() }) == nil {
          guard case .added = try await device.session.loginStep() else { return SyncReport() }
          try await device.session.finishLogIn(server: "test")
        }
        return try await device.sync()
      }
      let keyring = try scene.keyring(of: "alice")
      scene.server.change(.loginPoll, WireLoginState.self) { $0.added = true }
      scene.server.lie { request, response in
        guard request.path == Route.keyrings.path, response.status != 200 else { return response }
        return .told(WireKeyrings.with { $0.keyrings = [keyring] })
      }
    }
  }

  /// The codes were compared already when the server shows something else.
  private static func opened(
    _ name: String, _ bend: @escaping @Sendable (inout WireLogin, Hash32) -> Void
  ) -> Operator {
    Operator(name, .loginCommitment, [.login: .fails("untrusted", .recovers)]) { scene, _ in
      let (laptop, code) = try await scene.compareCodes()
      guard let new = try laptop.database.read({ try $0.loginRequest() })?.device else {
        throw LogInFailure.loginEnded
      }
      try await scene.holdStill("alice")
      scene.act = { device in
        let isThere = try device.database.read { try $0.keyring($0.requireAccount().user)?.device(new) != nil }
        if isThere { return try await device.sync() }
        guard let login = try await device.session.logins().first, login.state != .untrusted else {
          throw DeviceFailure.untrusted
        }
        // One that could be compared has another code, by chance not always.
        guard login.code == code else { throw DeviceFailure.wrongCode(left: 2) }
        _ = try await device.session.approve(login.id, code: code)
        return try await device.sync()
      }
      try scene.exchangeOpening(bend)
    }
  }
}

extension Scene {
  fileprivate static let step: Act = { device in
    _ = try await device.session.loginStep()
    return SyncReport()
  }

  /// What somebody has now is what is true: a server that is copied knows of no login to go on with.
  fileprivate func holdStill(_ name: String) async throws {
    victimName = name
    act = { _ in SyncReport() }
    _ = try await findTruth()
  }

  /// Alice's laptop asks, and her device answers.
  fileprivate func askToBeAdded(answered: Bool = true) async throws {
    _ = try await device("laptop").session.askToLogIn(handle: "alice", server: "test", name: "laptop")
    if answered { _ = try await alice.session.logins() }
  }

  /// The same, until the laptop has a code to show.
  fileprivate func compareCodes(asking: Bool = true) async throws -> (laptop: Device, code: LoginCode) {
    if asking { try await askToBeAdded() } else { _ = try await alice.session.logins() }
    let laptop = try device("laptop")
    guard case .comparing(let code) = try await laptop.session.loginStep() else { throw LogInFailure.loginEnded }
    return (laptop, code)
  }

  /// Alice's device is shown keys of the server's own, once the laptop has told its. `bend` gets the commitment to them.
  fileprivate func exchangeOpening(_ bend: @escaping @Sendable (inout WireLogin, Hash32) -> Void) throws {
    let opening = LoginOpening(
      signKey: SigningKey(SystemEntropy()).publicKey, boxKey: BoxKey(SystemEntropy()).publicKey, name: "laptop",
      SystemEntropy())
    let alice = BoxKey(secret: try alice.database.read { try $0.identity() }.boxSecret).publicKey
    server.change(.openLogins, WireLogins.self) { logins in
      for index in logins.logins.indices {
        let login = LoginID(exactly: Array(logins.logins[index].login))
        bend(&logins.logins[index], opening.commitment(for: login))
        if logins.logins[index].opening.isEmpty { continue }
        // What is secret is erased where it was.
        logins.logins[index].opening = data(alice.sealBox(SecretBytes(opening.bytes.map(\.self)), SystemEntropy()))
      }
    }
  }
}
