public import Signing

/// One generation of a person's user key (spec §2.3).
public struct UserKey: Sendable {
  /// The first generation is 1.
  public let generation: UInt32
  public let box: BoxKey

  public init(generation: UInt32, box: BoxKey) {
    self.generation = generation
    self.box = box
  }

  /// Seals the generation before under this one.
  public func seal(older: UserKey, of user: UserID, _ entropy: some Entropy) -> [UInt8] {
    Seal.seal(
      older.box.secret.copied(), under: olderKey, .olderUserKey, context: Self.context(user, older.generation), entropy)
  }

  /// Opens the generation before.
  public func open(older sealed: [UInt8], of user: UserID) -> UserKey? {
    let generation = generation - 1
    return Seal.open(sealed, under: olderKey, .olderUserKey, context: Self.context(user, generation))
      .map { UserKey(generation: generation, box: BoxKey(secret: SecretBytes($0))) }
  }

  private var olderKey: SecretBytes { SecretBytes(keyed(box.secret, .olderUserKey, [])) }
  private static func context(_ user: UserID, _ generation: UInt32) -> [UInt8] {
    user.bytes + BigEndian.bytes(generation)
  }
}
