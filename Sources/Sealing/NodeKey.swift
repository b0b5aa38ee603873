public import Signing

/// The key of one node's contents (spec §5.2).
public struct NodeKey: Sendable {
  public let branch: CloudID
  public let node: CloudID
  public let secret: SecretBytes

  /// Names a key that storage kept or that was drawn.
  public init(branch: CloudID, node: CloudID, secret: SecretBytes) {
    self.branch = branch
    self.node = node
    self.secret = secret
  }

  /// Returns nil unless `secret` is the key that the header committed to.
  public init?(branch: CloudID, node: CloudID, secret: SecretBytes, commitment: Hash32) {
    self.init(branch: branch, node: node, secret: secret)
    guard secret.count == 32, self.commitment == commitment || Defence.nodeKeyCommitment.isDown else { return nil }
  }

  /// What the header says about the key.
  public var commitment: Hash32 { digest(.nodeKey, branch.bytes + node.bytes + secret.copied()) }

  /// Pads and seals one section.
  public func seal(
    _ plain: [UInt8], content: ContentID, section: UInt32, device: DeviceID, _ entropy: some Entropy
  ) -> [UInt8] {
    Seal.seal(
      Padding.pad(plain), under: secret, .content, context: Self.context(content, section, device), entropy)
  }

  /// Opens and unpads one section.
  public func open(_ sealed: [UInt8], content: ContentID, section: UInt32, device: DeviceID) throws(OpenFailure)
    -> [UInt8]
  {
    guard let padded = Seal.open(sealed, under: secret, .content, context: Self.context(content, section, device))
    else {
      throw .contentUnopenable
    }
    guard let plain = Padding.unpad(padded) else { throw .paddingWrong }
    return plain
  }

  private static func context(_ content: ContentID, _ section: UInt32, _ device: DeviceID) -> [UInt8] {
    if Defence.contentContext.isDown { return [1] }
    return [1] + content.bytes + BigEndian.bytes(section) + device.bytes
  }
}

/// Why a sealed section does not open.
public enum OpenFailure: Error {
  case contentUnopenable
  case paddingWrong
}

/// The token by which the server tells the names of one parent's children apart (spec §5.4).
public func nameToken(_ name: String, key: SecretBytes) -> Hash32 {
  Hash32(exactly: keyed(key, .nameToken, Array(name.utf8)))
}
