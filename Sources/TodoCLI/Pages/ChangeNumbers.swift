import ArgumentParser

/// Numbers of changes as somebody types them: `12`, or `12-40` for all from 12 to 40.
struct ChangeNumbers: Equatable {
  /// No profile has more changes waiting.
  private static let longestRun: Int64 = 100_000
  /// So many are written one by one.
  private static let fewest = 6

  let numbers: [Int64]

  init(_ numbers: [Int64]) { self.numbers = numbers }

  /// Short enough to be typed: three and more that follow each other become a run where there are many.
  var text: String {
    let sorted = numbers.sorted()
    if sorted.count < Self.fewest { return numbers.map(String.init).joined(separator: " ") }
    var runs: [ClosedRange<Int64>] = []
    for number in sorted {
      if let last = runs.last, last.upperBound + 1 == number {
        runs[runs.count - 1] = last.lowerBound...number
      } else {
        runs.append(number...number)
      }
    }
    return runs.map { run in
      run.count < 3 ? run.map(String.init).joined(separator: " ") : "\(run.lowerBound)-\(run.upperBound)"
    }.joined(separator: " ")
  }
}

extension ChangeNumbers: ExpressibleByArgument {
  init?(argument: String) {
    let ends = argument.split(separator: "-", omittingEmptySubsequences: false).map { Int64($0) }
    guard let first = ends[0], let last = ends[ends.count - 1], ends.count <= 2, first > 0, first <= last,
      last - first < Self.longestRun
    else { return nil }
    numbers = Array(first...last)
  }
}
