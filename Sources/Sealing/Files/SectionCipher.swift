import CSodium
package import Signing

/// Seals and opens the chunks of one section of a file (spec §10.1).
package struct SectionCipher: Sendable {
  private static let associated = Domain.fileChunk.prefix
  private static let size = Int(FileChunk.size)
  private static let overhead = Int(FileChunk.overhead)

  private let key: SecretBytes
  /// How many chunks the section has.
  private let count: UInt64

  package init(_ section: FileSection, of content: ContentID, under secret: SecretBytes, in layout: FileLayout) {
    // What libsodium has begun with one implementation it must not end with another.
    prepareSodium()
    key = SecretBytes(keyed(secret, .fileSection, content.bytes + [section.rawValue]))
    count = FileLayout.chunks(in: UInt64(layout.range(of: section).count))
  }

  /// Seals padded bytes, which begin with chunk `first`.
  package func seal(_ padded: [UInt8], from first: UInt64 = 0) -> [UInt8] {
    let chunks = (padded.count + Self.size - 1) / Self.size
    let length = padded.count + chunks * Self.overhead
    return key.withBytes { key in
      unsafe padded.withUnsafeBufferPointer { plain in
        unsafe [UInt8](unsafeUninitializedCapacity: length) { sealed, filled in
          for chunk in 0..<chunks {
            let start = chunk * Self.size
            _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
              sealed.baseAddress! + start + chunk * Self.overhead, nil, plain.baseAddress! + start,
              UInt64(min(Self.size, plain.count - start)), Self.associated, UInt64(Self.associated.count), nil,
              nonce(first + UInt64(chunk)), key)
          }
          filled = length
        }
      }
    }
  }

  /// Opens what `seal` made of the same place of the same section; nil for anything else.
  package func open(_ sealed: [UInt8], from first: UInt64 = 0) -> [UInt8]? {
    let step = Self.size + Self.overhead
    let chunks = (sealed.count + step - 1) / step
    guard sealed.count >= chunks * Self.overhead else { return nil }
    let length = sealed.count - chunks * Self.overhead
    var isGood = true
    let plain = key.withBytes { key in
      unsafe sealed.withUnsafeBufferPointer { sealed in
        unsafe [UInt8](unsafeUninitializedCapacity: length) { plain, filled in
          for chunk in 0..<chunks where isGood {
            let start = chunk * step
            isGood =
              unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                plain.baseAddress! + chunk * Self.size, nil, nil, sealed.baseAddress! + start,
                UInt64(min(step, sealed.count - start)), Self.associated, UInt64(Self.associated.count),
                nonce(first + UInt64(chunk)), key) == 0
          }
          filled = isGood ? length : 0
        }
      }
    }
    return isGood ? plain : nil
  }

  private func nonce(_ chunk: UInt64) -> [UInt8] {
    [UInt8](repeating: 0, count: 15) + BigEndian.bytes(chunk) + [chunk == count - 1 ? 1 : 0]
  }
}

/// Whether there is nothing but zeros from `start` on.
func isZero(_ bytes: [UInt8], from start: Int) -> Bool {
  unsafe bytes.withUnsafeBufferPointer { buffer in
    unsafe start >= buffer.count || sodium_is_zero(buffer.baseAddress! + start, buffer.count - start) == 1
  }
}
