extension Unicode.Scalar {
  /// Moves the cursor, hides text, or turns it around: what another person's title must not do on a terminal.
  public var isUnsafeOnTerminals: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x2028, 0x2029: true
    case 0x061C, 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFEFF, 0xFFF9...0xFFFB: true
    default: false
    }
  }
}
