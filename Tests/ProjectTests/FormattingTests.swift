import Testing

@Suite struct FormattingTests {
  /// Generated files say for themselves that they are not to be looked at.
  @Test func swiftFormatHasNothingToSay() throws {
    let lint = try Subprocess.run(
      "swift", "format", "lint", "--strict", "--parallel", "--recursive", "Sources", "Tests", "samples",
      "Package.swift")
    #expect(lint.status == 0, "run 'make format'\n\(lint.errors)")
  }
}
