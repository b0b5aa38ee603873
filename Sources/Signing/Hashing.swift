import CSodium

/// `H` of spec §1.2: BLAKE2b over the domain and `bytes`.
public func digest(_ domain: Domain, _ bytes: [UInt8]) -> Hash32 {
  Hash32(exactly: digest(domain, bytes, length: 32))
}

/// `Hn` of spec §1.2, `length` bytes long (16 to 64).
public func digest(_ domain: Domain, _ bytes: [UInt8], length: Int) -> [UInt8] {
  unsafe blake2b(domain.prefix + bytes, key: UnsafeBufferPointer(start: nil, count: 0), length: length)
}

/// `K` of spec §1.2: 32 bytes derived from a key, for a key or a name token.
package func keyed(_ key: SecretBytes, _ domain: Domain, _ bytes: [UInt8]) -> [UInt8] {
  unsafe key.withBytes { unsafe blake2b(domain.prefix + bytes, key: $0, length: 32) }
}

/// SHA-256, for `content-digest` (spec §6.1) and the checksum of the words (spec §2.1).
public func sha256(_ bytes: [UInt8]) -> [UInt8] {
  var output = [UInt8](repeating: 0, count: 32)
  _ = unsafe crypto_hash_sha256(&output, bytes, UInt64(bytes.count))
  return output
}

private func blake2b(_ bytes: [UInt8], key: UnsafeBufferPointer<UInt8>, length: Int) -> [UInt8] {
  var output = [UInt8](repeating: 0, count: length)
  let status = unsafe crypto_generichash(&output, length, bytes, UInt64(bytes.count), key.baseAddress, key.count)
  precondition(status == 0, "BLAKE2b refused its parameters")
  return output
}
