import CSodium
public import Signing

/// XChaCha20-Poly1305 with a random nonce (spec §1.4).
public enum Seal {
  /// What a sealed value is longer by: 24 bytes of nonce and 16 of tag.
  public static let overhead = 40

  /// Returns nonce and box of `plain`.
  public static func seal(
    _ plain: [UInt8], under key: SecretBytes, _ domain: Domain, context: [UInt8], _ entropy: some Entropy
  ) -> [UInt8] {
    let nonce = entropy.bytes(24)
    let associated = domain.prefix + context
    var box = [UInt8](repeating: 0, count: plain.count + 16)
    _ = unsafe key.withBytes {
      unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
        &box, nil, plain, UInt64(plain.count), associated, UInt64(associated.count), nil, nonce, $0.baseAddress!)
    }
    return nonce + box
  }

  /// Returns nil unless `sealed` was made by `seal` with the same key, domain and context.
  public static func open(
    _ sealed: some Collection<UInt8>, under key: SecretBytes, _ domain: Domain, context: [UInt8]
  ) -> [UInt8]? {
    guard sealed.count >= overhead else { return nil }
    let nonce = Array(sealed.prefix(24))
    let box = Array(sealed.dropFirst(24))
    let associated = domain.prefix + context
    var plain = [UInt8](repeating: 0, count: box.count - 16)
    let status = unsafe key.withBytes {
      unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
        &plain, nil, nil, box, UInt64(box.count), associated, UInt64(associated.count), nonce, $0.baseAddress!)
    }
    return status == 0 ? plain : nil
  }
}
