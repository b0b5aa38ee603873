/// Which of several things wait for which others.
struct Waits {
  private var needs: [Int64: Set<Int64>] = [:]

  mutating func add(_ waiting: Int64, for needed: Int64) { needs[waiting, default: []].insert(needed) }

  /// The things that wait for themselves, through others: none of them ever comes to its turn. In order.
  func inCircles() -> [Int64] {
    var open = needs
    // Whatever waits for nothing that waits comes to its turn, and so does what waited for that alone.
    while true {
      let free = open.filter { $0.value.isDisjoint(with: open.keys) }.keys
      if free.isEmpty { break }
      for thing in free { open[thing] = nil }
    }
    // What is left waits for a circle or is in one.
    return open.keys.filter { reaches($0, from: $0, in: open) }.sorted()
  }

  private func reaches(_ goal: Int64, from start: Int64, in open: [Int64: Set<Int64>]) -> Bool {
    var seen: Set<Int64> = []
    var next = Array(open[start] ?? [])
    while let here = next.popLast() {
      if here == goal { return true }
      if seen.insert(here).inserted { next += open[here] ?? [] }
    }
    return false
  }
}
