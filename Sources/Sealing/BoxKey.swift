import CSodium
public import Signing

/// An X25519 key pair: a device's, the root's, or a generation of the user key.
public struct BoxKey: Sendable {
  /// The 32-byte secret key, which storage keeps.
  public let secret: SecretBytes
  /// What others seal to.
  public let publicKey: PublicKey

  /// Takes a 32-byte secret key.
  public init(secret: SecretBytes) {
    precondition(secret.count == 32, "an X25519 key has 32 bytes")
    var publicKey = [UInt8](repeating: 0, count: 32)
    _ = unsafe secret.withBytes { unsafe crypto_scalarmult_base(&publicKey, $0.baseAddress!) }
    self.secret = secret.guarded()
    self.publicKey = PublicKey(exactly: publicKey)
  }

  /// Draws a new key pair.
  public init(_ entropy: some Entropy) { self.init(secret: SecretBytes(entropy.bytes(32))) }

  /// The root's box key (spec §2.1).
  public init(root: RootKey) { self.init(secret: root.boxSeed) }

  /// Opens a sealed box; nil if it is not one for this key.
  public func open(sealedBox box: [UInt8]) -> SecretBytes? {
    guard box.count >= sealedBoxOverhead else { return nil }
    var plain = [UInt8](repeating: 0, count: box.count - sealedBoxOverhead)
    let status = unsafe secret.withBytes {
      unsafe crypto_box_seal_open(&plain, box, UInt64(box.count), publicKey.bytes, $0.baseAddress!)
    }
    return status == 0 ? SecretBytes(plain) : nil
  }
}

private let sealedBoxOverhead = 48

extension PublicKey {
  /// A sealed box as libsodium's `crypto_box_seal` makes it (spec §1.4). It is put together here because
  /// libsodium draws the ephemeral key itself, and ours has to come from the injected entropy.
  public func sealBox(_ plain: SecretBytes, _ entropy: some Entropy) -> [UInt8] {
    sealBox(plain, from: BoxKey(entropy))
  }

  /// With an ephemeral key that MUST NOT seal anything else to this key.
  func sealBox(_ plain: SecretBytes, from ephemeral: BoxKey) -> [UInt8] {
    var nonce = [UInt8](repeating: 0, count: 24)
    let seed = ephemeral.publicKey.bytes + bytes
    _ = unsafe crypto_generichash(&nonce, 24, seed, UInt64(seed.count), nil, 0)
    var box = [UInt8](repeating: 0, count: plain.count + 16)
    let status = unsafe plain.withBytes { plain in
      unsafe ephemeral.secret.withBytes { secret in
        unsafe crypto_box_easy(&box, plain.baseAddress!, UInt64(plain.count), nonce, bytes, secret.baseAddress!)
      }
    }
    precondition(status == 0 || isLowOrder, "crypto_box_easy refused its parameters")
    return ephemeral.publicKey.bytes + box
  }

  /// Whether every shared secret with this key would be zero. Its owner made it so, and gets a box that nobody opens.
  private var isLowOrder: Bool {
    var shared = [UInt8](repeating: 0, count: 32)
    return unsafe crypto_scalarmult(&shared, [UInt8](repeating: 1, count: 32), bytes) != 0
  }
}
