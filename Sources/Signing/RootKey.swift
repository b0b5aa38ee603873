/// A person's root: 32 random bytes, which people see as 24 words (spec §2.1).
public struct RootKey: Sendable {
  /// The 32 bytes.
  public let entropy: SecretBytes
  /// Signs the sign-up keyring, and whatever an owner without devices has to say.
  public let signing: SigningKey

  /// The root of these 32 bytes.
  public init(entropy: SecretBytes) {
    self.entropy = entropy.guarded()
    signing = SigningKey(seed: SecretBytes(keyed(entropy, .rootSign, [])))
  }

  /// The userID that follows from it.
  public var userID: UserID { UserID(root: signing.publicKey) }

  /// The seed of the root's X25519 key; Sealing makes the key.
  package var boxSeed: SecretBytes { SecretBytes(keyed(entropy, .rootBox, [])) }
}
