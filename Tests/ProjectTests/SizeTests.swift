import Testing

@Suite struct SizeTests {
  @Test func noFileIsLongerThan400Lines() throws {
    for path in Repository.swiftFiles(in: "Sources", "Tests", "samples") {
      let count = try Repository.lines(of: path).count
      #expect(count <= 401, "\(path) has \(count) lines")
    }
  }

  @Test func noFunctionIsLongerThan60LinesAndMostAreShorterThan40() throws {
    var lengths: [Int] = []
    for path in Repository.swiftFiles(in: "Sources", "Tests", "samples") {
      for function in FunctionScanner(lines: try Repository.lines(of: path)).functions() {
        lengths.append(function.length)
        #expect(function.length <= 60, "\(path):\(function.firstLine): '\(function.name)' is too long")
      }
    }
    try #require(lengths.count > 100, "the scanner finds nothing any more")
    let short = lengths.count { $0 <= 40 }
    #expect(short * 100 >= lengths.count * 95, "\(lengths.count - short) of \(lengths.count) functions are long")
  }

  @Test func scannerSeesWhatItShould() {
    let source = """
      protocol P {
        func requirement()
        func wrapped(
          a: Int
        ) -> Int
      }
      struct S {
        var stored: Int = 1
        var computed: Int {
          2
        }
        private static func one() -> Int { 1 }
        init<T>(
          _ value: T
        ) throws
        where T: P {
          if true {
          }
        }
      }
      """
    let functions = FunctionScanner(lines: source.split(separator: "\n").map(String.init)).functions()
    #expect(functions.map(\.name) == ["computed", "one", "init"])
    #expect(functions.map(\.length) == [3, 1, 7])
  }
}
