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
    var sealed = [UInt8](repeating: 0, count: padded.count + chunks * Self.overhead)
    for (place, chunk) in zip(Self.places(in: sealed.count), 0...) {
      let start = chunk * Self.size
      overwrite(&sealed, at: place.lowerBound, with: padded[start..<start + place.count])
      seal(first + UInt64(chunk), in: &sealed, at: place)
    }
    return sealed
  }

  /// Where in so many sealed bytes the chunks of plaintext stand before they are sealed in their place. Behind each is room for its tag.
  static func places(in length: Int) -> [Range<Int>] {
    stride(from: 0, to: length, by: size + overhead).map { $0..<min($0 + size, length - overhead) }
  }

  /// Seals the chunk that stands at this place, there.
  func seal(_ chunk: UInt64, in bytes: inout [UInt8], at place: Range<Int>) {
    precondition(place.lowerBound >= 0 && place.upperBound <= bytes.count - Self.overhead, "no room for the tag")
    unsafe key.withBytes { key in
      unsafe bytes.withUnsafeMutableBufferPointer { bytes in
        let start = unsafe bytes.baseAddress! + place.lowerBound
        _ = unsafe crypto_aead_xchacha20poly1305_ietf_encrypt(
          start, nil, start, UInt64(place.count), Self.associated, UInt64(Self.associated.count), nil, nonce(chunk),
          key.baseAddress!)
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
    let plain = unsafe key.withBytes { key in
      unsafe sealed.withUnsafeBufferPointer { sealed in
        unsafe [UInt8](unsafeUninitializedCapacity: length) { plain, filled in
          for chunk in 0..<chunks where isGood {
            let start = chunk * step
            isGood =
              unsafe crypto_aead_xchacha20poly1305_ietf_decrypt(
                plain.baseAddress! + chunk * Self.size, nil, nil, sealed.baseAddress! + start,
                UInt64(min(step, sealed.count - start)), Self.associated, UInt64(Self.associated.count),
                nonce(first + UInt64(chunk)), key.baseAddress!) == 0
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
