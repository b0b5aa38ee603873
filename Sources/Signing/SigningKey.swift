import CSodium

/// An Ed25519 key pair.
public struct SigningKey: Sendable {
  /// The 32-byte seed, which storage keeps.
  public let seed: SecretBytes
  /// What others verify with.
  public let publicKey: PublicKey
  private let secret: SecretBytes

  /// Makes the key pair of a 32-byte seed.
  public init(seed: SecretBytes) {
    precondition(seed.count == 32, "an Ed25519 seed has 32 bytes")
    var publicKey = [UInt8](repeating: 0, count: 32)
    var secret = [UInt8](repeating: 0, count: 64)
    _ = unsafe seed.withBytes { unsafe crypto_sign_seed_keypair(&publicKey, &secret, $0.baseAddress!) }
    self.seed = seed.guarded()
    self.publicKey = PublicKey(exactly: publicKey)
    self.secret = SecretBytes(secret).guarded()
  }

  /// Draws a new key pair.
  public init(_ entropy: some Entropy) { self.init(seed: SecretBytes(entropy.bytes(32))) }

  /// Signs a record body under its domain (spec §1.3).
  public func sign(_ domain: Domain, _ body: [UInt8]) -> Signature { sign(plain: domain.prefix + body) }

  /// Signs the signature base of a request, which is set apart by its form (spec §6.1).
  package func sign(plain message: [UInt8]) -> Signature {
    var signature = [UInt8](repeating: 0, count: 64)
    _ = unsafe secret.withBytes {
      unsafe crypto_sign_detached(&signature, nil, message, UInt64(message.count), $0.baseAddress!)
    }
    let made = Signature(exactly: signature)
    SignatureMemo.remember(made, of: message, by: publicKey)
    return made
  }
}

extension PublicKey {
  /// Whether `signature` over `body` under `domain` was made with this key's private half.
  public func verifies(_ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    verifies(signature, plain: domain.prefix + body)
  }

  package func verifies(_ signature: Signature, plain message: [UInt8]) -> Bool {
    if SignatureMemo.holds(signature, of: message, by: self) { return true }
    guard unsafe crypto_sign_verify_detached(signature.bytes, message, UInt64(message.count), bytes) == 0 else {
      return false
    }
    SignatureMemo.remember(signature, of: message, by: self)
    return true
  }
}
