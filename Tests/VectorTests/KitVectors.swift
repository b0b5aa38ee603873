import Testing

/// A parameterised test without arguments passes, so a kit that is not there must fail here.
@Suite struct KitVectors {
  @Test(arguments: [
    ("ids", 3), ("derived", 6), ("words", 14), ("padding", 16), ("seal", 12), ("keyring", 99), ("permissions", 161),
    ("branch", 241),
    ("node", 54), ("destination", 9), ("message", 14), ("document", 53), ("stamp", 11), ("comment", 18),
    ("request", 38), ("safety", 11), ("lock", 23),
    ("unit", 9), ("box", 14), ("code", 28), ("login", 15), ("file", 124),
    ("post", 23), ("origin", 20),
  ]) func everyKindIsThere(_ kind: String, _ count: Int) {
    #expect(Vector.all(kind).count >= count)
  }
}
