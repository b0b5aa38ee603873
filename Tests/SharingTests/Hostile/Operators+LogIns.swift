import CloudAPI
import CloudServer
import Foundation
import Lies
import Sealing
import Sharing
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

/// What the server tells of a person whom nobody here has met, and of oneself on a new device.
extension Operator {
  static let logIns: [Operator] =
    keys("keyring with another root", .rootKey, .rootMismatch) { SignUp.forged($0) }
    + keys("keyring with a forged entry", .entrySignature, .signatureBad) { keyring in
      var keyring = keyring
      keyring.entries[1].signature[7] ^= 1
      return keyring
    }
    + keys("keyring cut short", .keyringComplete, .trunksMissing) { keyring in
      var keyring = keyring
      keyring.entries.removeLast(keyring.entries.count - 3)
      return keyring
    }
    + keys("keyring of another suite", .suite, .suiteUnknown) { keyring in
      var keyring = keyring
      keyring.entries[0] = (try? SignedRecord(keyring.entries[0]).bent(.keyring, suite: 0).wire) ?? .init()
      return keyring
    }
    + keys("keyring with an entry of somebody else", .entryUser, .userMismatch) { keyring in
      var keyring = keyring
      keyring.entries[1] = (SignUp.forged(keyring).entries.first.map(SignUp.renamed)) ?? .init()
      return keyring
    }
    + [
      Operator("handle given to somebody else", .namedHandle, [.keyring: .refuses(.userMismatch)]) { scene, _ in
        let eves = try scene.keyring(of: "eve")
        scene.act = Scene.lookUpBob
        scene.server.change(.handle("bob"), WireKeyring.self) { $0 = eves }
      },
      // A thief has filled bob's keyring from his device.
      full("device added in the last places of a keyring") { _ in
        let (key, box) = (SigningKey(SystemEntropy()).publicKey, BoxKey(SystemEntropy()).publicKey)
        return .addDevice(
          .init(
            device: DeviceID(signKey: key, boxKey: box), signKey: key, boxKey: box, generation: 0, sealedUserKey: []))
      },
      full("device ended in the places of the root", usedByRoot: true) { .revokeDevice($0, since: 1) },
    ]

  /// Bob's device signs one more where only others may; `change` gets that device.
  private static func full(
    _ name: String, usedByRoot: Bool = false, _ change: @escaping @Sendable (DeviceID) -> KeyringChange
  ) -> Operator {
    Operator(name, .keyringReserve, [.keyring: .refuses(.limitExceeded)]) { scene, _ in
      let (identity, root, keyring) = try scene.device("bob").database.read { transaction in
        let identity = try transaction.identity()
        return (identity, try transaction.root(), try transaction.keyring(identity.user))
      }
      guard let root, let keyring else { throw TreeError.notSignedIn }
      var chain = KeyringChain(after: keyring, now: 0)
      let same = KeyringChange.setHandle(keyring.handle, rootKey: nil, rootBoxKey: nil)
      while chain.position < Limits.keyringEntriesOfDevices {
        chain.append(same, signedBy: identity.signingKey, signer: identity.device)
      }
      while usedByRoot, chain.position < Limits.keyringEntriesToEndDevices {
        chain.append(same, signedBy: root.signing)
      }
      chain.append(change(identity.device), signedBy: identity.signingKey, signer: identity.device)
      let forged = WireKeyring.with {
        $0.user = data(identity.user.bytes)
        $0.entries = (keyring.entries + chain.records).map(\.wire)
      }
      scene.act = Scene.lookUpBob
      scene.server.change(.handle("bob"), WireKeyring.self) { $0 = forged }
    }
  }

  /// One for bob's keyring, whom carol looks up, and one for mallory's own, who signs in with the words.
  private static func keys(
    _ name: String, _ defence: Defence, _ reason: Refusal, _ forge: @escaping @Sendable (WireKeyring) -> WireKeyring
  ) -> [Operator] {
    [
      Operator("\(name) at the first contact", defence, [.keyring: .refuses(reason)]) { scene, _ in
        let forged = forge(try scene.keyring(of: "bob"))
        scene.act = Scene.lookUpBob
        scene.server.change(.handle("bob"), WireKeyring.self) { $0 = forged }
      },
      Operator("\(name) at signing in", defence, [.keyring: .refuses(reason)]) { scene, _ in
        let forged = forge(try scene.keyring(of: "mallory"))
        guard let root = try scene.mallory.database.read({ try $0.root() }) else { throw TreeError.notSignedIn }
        scene.victimName = "tablet"
        scene.act = { device in
          if try device.database.read({ try $0.account() }) == nil {
            try await device.session.logIn(root: root, handle: "mallory", server: "test")
          }
          return try await device.sync()
        }
        scene.server.change(.keyrings, WireKeyrings.self) { $0.keyrings = [forged] }
      },
    ]
  }
}

extension Scene {
  static let lookUpBob: Act = { device in
    _ = try await device.session.lookUp(handle: "bob")
    return SyncReport()
  }
}

extension SignUp {
  /// A keyring of somebody's whose root is the server's.
  static func forged(_ keyring: WireKeyring) -> WireKeyring {
    guard let user = UserID(bytes: keyring.user) else { return keyring }
    let forged = SignUp(handle: "bob", entropy: SystemEntropy(), now: 0).claiming(to: user)
    return .with {
      $0.user = keyring.user
      $0.entries = forged.keyring.map(\.wire)
    }
  }

  /// An entry in the name of somebody who is nobody.
  static func renamed(_ entry: WireSignedRecord) -> WireSignedRecord {
    let nobody = data(UserID.random(SystemEntropy()).bytes)
    return (try? SignedRecord(entry).bent(WireKeyringEntry.self) { $0.user = nobody }.wire) ?? entry
  }
}
