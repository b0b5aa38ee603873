public import Signing

/// The key of one epoch of a branch (spec §3.1).
public struct BranchKey: Sendable {
  /// The branch.
  public let branch: CloudID
  /// The first epoch is 1.
  public let epoch: UInt64
  /// 32 bytes.
  public let secret: SecretBytes

  /// Names a key that was opened or drawn.
  public init(branch: CloudID, epoch: UInt64, secret: SecretBytes) {
    self.branch = branch
    self.epoch = epoch
    self.secret = secret
  }

  /// What the permissions record says about the key.
  public var commitment: Hash32 {
    digest(.branchKey, branch.bytes + BigEndian.bytes(epoch) + secret.copied())
  }

  /// The sealed box of this key for somebody who may read (spec §3.1). Its ephemeral key follows from the branch key, so that whoever
  /// has that can tell whether somebody else was given it.
  public func box(for user: UserID, _ userKey: PublicKey) -> [UInt8] {
    let context = branch.bytes + BigEndian.bytes(epoch) + user.bytes + userKey.bytes
    return userKey.sealBox(secret, from: BoxKey(secret: SecretBytes(keyed(secret, .branchKeyBox, context))))
  }

  /// Seals an earlier epoch's key under this one.
  public func seal(older: BranchKey, _ entropy: some Entropy) -> [UInt8] {
    Seal.seal(
      older.secret.copied(), under: derived(.olderBranchKey), .olderBranchKey, context: olderContext(older.epoch),
      entropy)
  }

  /// Opens an earlier epoch's key.
  public func open(older sealed: [UInt8], epoch: UInt64) -> BranchKey? {
    Seal.open(sealed, under: derived(.olderBranchKey), .olderBranchKey, context: olderContext(epoch))
      .map { BranchKey(branch: branch, epoch: epoch, secret: SecretBytes($0)) }
  }

  /// Wraps a node's key for its header.
  public func wrap(_ key: NodeKey, _ entropy: some Entropy) -> [UInt8] {
    Seal.seal(
      key.secret.copied(), under: derived(.wrapNodeKey), .wrapNodeKey, context: wrapContext(key.node), entropy)
  }

  /// Opens a wrapped node key; nil unless it fits the header's commitment.
  public func unwrap(_ wrapped: [UInt8], of node: CloudID, commitment: Hash32) -> NodeKey? {
    guard let plain = Seal.open(wrapped, under: derived(.wrapNodeKey), .wrapNodeKey, context: wrapContext(node)) else {
      return nil
    }
    return NodeKey(branch: branch, node: node, secret: SecretBytes(plain), commitment: commitment)
  }

  /// Seals where a node went, for its tombstone (spec §5.6).
  public func seal(destination: CloudID, of node: CloudID, _ entropy: some Entropy) -> [UInt8] {
    Seal.seal(destination.bytes, under: derived(.destination), .destination, context: wrapContext(node), entropy)
  }

  /// Opens where a node went; nil if it does not open.
  public func open(destination sealed: [UInt8], of node: CloudID) -> CloudID? {
    Seal.open(sealed, under: derived(.destination), .destination, context: wrapContext(node))
      .flatMap { CloudID(bytes: $0) }
  }

  private func derived(_ domain: Domain) -> SecretBytes { SecretBytes(keyed(secret, domain, [])) }
  private func olderContext(_ epoch: UInt64) -> [UInt8] { branch.bytes + BigEndian.bytes(epoch) }
  private func wrapContext(_ node: CloudID) -> [UInt8] { branch.bytes + node.bytes + BigEndian.bytes(epoch) }
}
