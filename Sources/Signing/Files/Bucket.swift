/// The lengths to which what is sealed is padded (spec §1.5).
package enum Bucket {
  /// The least of them that is not below `length`; 0 for 0.
  package static func holding(_ length: UInt64) -> UInt64 {
    guard length > 4096 else { return (length + 255) / 256 * 256 }
    let exponent = UInt64(UInt64.bitWidth - 1 - length.leadingZeroBitCount)
    let digits = UInt64(UInt64.bitWidth - exponent.leadingZeroBitCount)
    let step = UInt64(1) << (exponent - digits)
    return (length + step - 1) / step * step
  }
}
