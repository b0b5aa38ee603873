public import Signing
import SwiftProtobuf

/// What a keyring entry changes.
public enum KeyringChange: Hashable, Sendable {
  /// The root keys stand in the first entry only.
  case setHandle(String, rootKey: PublicKey?, rootBoxKey: PublicKey?)
  case addDevice(NewDevice)
  /// Ends a device, and every device that it added at or after position `since`.
  case revokeDevice(DeviceID, since: UInt32)
  case rotateUserKey(NewUserKey)
  case setTrunks(Trunks)
  /// The last entry of a keyring.
  case deleteAccount

  /// A device and, where somebody could seal it, the present user key.
  public struct NewDevice: Hashable, Sendable {
    public var device: DeviceID
    public var signKey: PublicKey
    public var boxKey: PublicKey
    public var generation: UInt32
    public var sealedUserKey: [UInt8]

    public init(
      device: DeviceID, signKey: PublicKey, boxKey: PublicKey, generation: UInt32, sealedUserKey: [UInt8]
    ) {
      self.device = device
      self.signKey = signKey
      self.boxKey = boxKey
      self.generation = generation
      self.sealedUserKey = sealedUserKey
    }
  }

  /// A generation of the user key, sealed to the root and every active device.
  public struct NewUserKey: Hashable, Sendable {
    public var generation: UInt32
    public var publicKey: PublicKey
    public var sealed: [SealedUserKey]
    public var older: [UInt8]

    public init(generation: UInt32, publicKey: PublicKey, sealed: [SealedUserKey], older: [UInt8]) {
      self.generation = generation
      self.publicKey = publicKey
      self.sealed = sealed
      self.older = older
    }
  }

  /// Nil stands for the root.
  public struct SealedUserKey: Hashable, Sendable {
    public var device: DeviceID?
    public var sealed: [UInt8]

    public init(device: DeviceID?, sealed: [UInt8]) {
      self.device = device
      self.sealed = sealed
    }
  }

  /// The record hashes of the trunks' first permissions records.
  public struct Trunks: Hashable, Sendable {
    public var home: Hash32
    public var prefs: Hash32
    public var outbox: Hash32
    public var inbox: Hash32

    public init(home: Hash32, prefs: Hash32, outbox: Hash32, inbox: Hash32) {
      self.home = home
      self.prefs = prefs
      self.outbox = outbox
      self.inbox = inbox
    }
  }
}

extension KeyringChange {
  init(_ wire: WireKeyringEntry.OneOf_Change?) throws(Refusal) {
    switch wire {
    case .setHandle(let change):
      self = .setHandle(
        change.handle, rootKey: try optional(change.rootKey), rootBoxKey: try optional(change.rootBoxKey))
    case .addDevice(let change):
      self = .addDevice(
        NewDevice(
          device: try fixed(change.device), signKey: try fixed(change.signKey), boxKey: try fixed(change.boxKey),
          generation: change.generation, sealedUserKey: Array(change.sealedUserKey)))
    case .revokeDevice(let change):
      self = .revokeDevice(try fixed(change.device), since: change.since)
    case .rotateUserKey(let change):
      guard change.sealed.count <= Limits.keyringEntries else { throw .limitExceeded }
      var sealed: [SealedUserKey] = []
      for item in change.sealed {
        sealed.append(SealedUserKey(device: try optional(item.device), sealed: Array(item.sealed)))
      }
      self = .rotateUserKey(
        NewUserKey(
          generation: change.generation, publicKey: try fixed(change.publicKey), sealed: sealed,
          older: Array(change.older)))
    case .setTrunks(let change):
      self = .setTrunks(
        Trunks(
          home: try fixed(change.home), prefs: try fixed(change.prefs), outbox: try fixed(change.outbox),
          inbox: try fixed(change.inbox)))
    case .deleteAccount: self = .deleteAccount
    case .recover, nil:
      throw .malformed
    }
  }

  var wire: WireKeyringEntry.OneOf_Change {
    switch self {
    case .setHandle(let handle, let rootKey, let rootBoxKey):
      .setHandle(
        .with {
          $0.handle = handle
          $0.rootKey = data(rootKey?.bytes ?? [])
          $0.rootBoxKey = data(rootBoxKey?.bytes ?? [])
        })
    case .addDevice(let new):
      .addDevice(
        .with {
          $0.device = data(new.device.bytes)
          $0.signKey = data(new.signKey.bytes)
          $0.boxKey = data(new.boxKey.bytes)
          $0.generation = new.generation
          $0.sealedUserKey = data(new.sealedUserKey)
        })
    case .revokeDevice(let device, let since):
      .revokeDevice(
        .with {
          $0.device = data(device.bytes)
          $0.since = since
        })
    case .rotateUserKey(let new): .rotateUserKey(new.wire)
    case .setTrunks(let trunks):
      .setTrunks(
        .with {
          $0.home = data(trunks.home.bytes)
          $0.prefs = data(trunks.prefs.bytes)
          $0.outbox = data(trunks.outbox.bytes)
          $0.inbox = data(trunks.inbox.bytes)
        })
    case .deleteAccount: .deleteAccount(.init())
    }
  }
}

extension KeyringChange.NewUserKey {
  fileprivate var wire: WireRotateUserKey {
    .with {
      $0.generation = generation
      $0.publicKey = data(publicKey.bytes)
      $0.sealed = sealed.map { item in
        .with {
          $0.device = data(item.device?.bytes ?? [])
          $0.sealed = data(item.sealed)
        }
      }
      $0.older = data(older)
    }
  }
}
