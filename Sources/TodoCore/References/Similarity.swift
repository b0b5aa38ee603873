/// Whether a name may be another one mistyped: a third of its letters may differ, of a short one only one.
public func isSimilar(_ name: String, to other: String) -> Bool {
  let a = Array(folded(name))
  let b = Array(folded(other))
  let allowed = max(1, max(a.count, b.count) / 3)
  guard abs(a.count - b.count) <= allowed else { return false }
  return distance(a, b) <= allowed
}

/// The names that `name` may have meant, the nearest first: mistyped, or only begun.
public func similar(to name: String, among names: some Sequence<String>) -> [String] {
  let typed = Array(folded(name))
  return names.filter { isSimilar(name, to: $0) || typed.count > 1 && folded($0).hasPrefix(folded(name)) }
    .map { (name: $0, distance: distance(typed, Array(folded($0)))) }
    .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
    .map(\.name)
}

/// How many letters must be typed, left out, changed or swapped with their neighbour.
private func distance(_ a: [Character], _ b: [Character]) -> Int {
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in 0..<a.count {
    var row = [i + 1]
    for j in 0..<b.count {
      var best = min(last[j + 1] + 1, row[j] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
      row.append(best)
    }
    (beforeLast, last) = (last, row)
  }
  return last[b.count]
}
