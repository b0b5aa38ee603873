import Testing

/// `make test` has runs of their own for what starts programs with Foundation (beside hundreds of tests, which have many files open,
/// Foundation reads past the end of a list and crashes), and for what talks over sockets, which starves beside who waits for programs.
@Suite struct RunTests {
  @Test func whatStartsProgramsIsNotAmongTheOtherTests() throws {
    try hold(["Process()", "SimulatorProgram.run", "Subprocess.run"], among: ["programs", "sockets"])
  }

  @Test func whatTalksOverSocketsHasItsOwnRun() throws {
    try hold(["serve", "Wire"].map { "try await \($0)(" }, among: ["sockets"])
  }

  /// - Parameter variables: those of the Makefile, one of whose names each suite has to have that does one of these.
  private func hold(_ deeds: [String], among variables: [String]) throws {
    let makefile = try Repository.lines(of: "Makefile")
    let apart = try variables.flatMap { variable in
      let line = try #require(makefile.first { $0.split(separator: " ").first == Substring(variable) })
      let names = try #require(line.split(separator: " ").last)
      return names.split(separator: "|").map(String.init)
    }
    var found = 0
    for path in Repository.swiftFiles(in: "Tests") where !apart.contains(where: { path.contains("/\($0)/") }) {
      var suite: String?
      for line in try Repository.lines(of: path) {
        suite = line.firstMatch(of: /struct (\w+Tests)\b/).map { String($0.1) } ?? suite
        guard let suite, deeds.contains(where: { line.contains($0) }) else { continue }
        found += 1
        #expect(
          apart.contains { suite.contains($0) },
          "\(suite) in \(path) does that: name it in the Makefile's \(variables.joined(separator: " or "))")
      }
    }
    #expect(found > 3)
  }
}
