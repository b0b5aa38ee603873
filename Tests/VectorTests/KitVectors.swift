import Testing

/// A parameterised test without arguments passes, so a kit that is not there must fail here.
@Suite struct KitVectors {
  @Test(arguments: [
    ("ids", 3), ("words", 14), ("padding", 16), ("seal", 12), ("keyring", 80), ("permissions", 147), ("branch", 221),
    ("node", 33), ("destination", 9), ("message", 14), ("document", 51), ("request", 37), ("safety", 11), ("lock", 23),
    ("unit", 9),
  ]) func everyKindIsThere(_ kind: String, _ count: Int) {
    #expect(Vector.all(kind).count >= count)
  }
}
