import Testing

/// `make test` has a run of its own for what starts programs with Foundation: beside hundreds of tests, which have many files open,
/// Foundation reads past the end of a list and crashes.
@Suite struct RunTests {
  @Test func whatStartsProgramsIsNotAmongTheOtherTests() throws {
    let line = try #require(Repository.lines(of: "Makefile").first { $0.hasPrefix("programs := ") })
    let apart = line.dropFirst("programs := ".count).split(separator: "|").map(String.init)
    let starts = ["Process()", "SimulatorProgram.run", "Subprocess.run"]
    var found = 0
    for path in Repository.swiftFiles(in: "Tests") where !apart.contains(where: { path.contains("/\($0)/") }) {
      let lines = try Repository.lines(of: path)
      guard lines.contains(where: { line in starts.contains { line.contains($0) } }) else { continue }
      for suite in suites(in: lines) {
        found += 1
        #expect(
          apart.contains { suite.contains($0) },
          "\(suite) in \(path) starts a program: name it in the Makefile's programs")
      }
    }
    #expect(found > 3)
  }

  private func suites(in lines: [String]) -> [String] {
    lines.compactMap { line in line.firstMatch(of: /struct (\w+Tests)\b/).map { String($0.1) } }
  }
}
