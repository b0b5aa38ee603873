import Testing

/// The tables of what `make defences` takes out of the server: each names a text that stands in its file once, and a test that there is.
@Suite struct DefenceTests {
  @Test func theTablesFitTheSources() throws {
    let check = try Subprocess.run("python3", "-B", "scripts/defences", "--check")
    #expect(check.status == 0, "\(check.output)\(check.errors)")
  }
}
