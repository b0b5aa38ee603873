import Testing

@testable import TodoCore

/// Keys lie between their neighbours, and stay short however many go into one place.
struct OrderKeyTests {
  private let first = OrderKey(time: 1_790_000_000_000)
  private let second = OrderKey(time: 1_790_000_000_001)

  @Test func timesSortAsTheyShould() {
    let times: [Int64] = [-5, 0, 1, 61, 62, 1_790_000_000_000, 1_790_000_000_001, .max]
    let keys = times.map { OrderKey(time: $0) }
    #expect(keys.dropFirst() == ArraySlice(keys.dropFirst().sorted()))
    #expect(keys.allSatisfy { $0.text.utf8.count == OrderKey.timeLength })
    #expect(keys.map(\.time) == times.map { max(0, $0) })
    #expect(keys.map(\.text) == keys.map(\.text).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) })
  }

  /// Ten thousand times into one place, from each of the sides that people take.
  @Test(arguments: ["after the same", "before the same", "top", "bottom"])
  func keysStayShort(_ place: String) throws {
    var dice = Dice(7)
    var (lower, upper): (OrderKey?, OrderKey?) = (first, second)
    if place == "top" { (lower, upper) = (nil, first) }
    if place == "bottom" { (lower, upper) = (second, nil) }
    let advances = place == "before the same" || place == "bottom"
    var longest = 0
    for number in 0..<10_000 {
      let side: OrderKey.Side =
        number == 0 && lower != nil && upper != nil ? .middle : advances ? .lower : .upper
      let key = try #require(OrderKey.between(lower, upper, near: side, chance: dice.next()))
      #expect(lower.map { $0 < key } ?? true && upper.map { key < $0 } ?? true)
      #expect(OrderKey(moved: Array(key.text.utf8)) == key)
      longest = max(longest, key.text.utf8.count)
      if advances { lower = key } else { upper = key }
    }
    #expect(longest <= 29)
  }

  /// Anywhere in a row of thousands: a key beside whichever neighbour came last.
  @Test func keysStayShortAnywhere() throws {
    var dice = Dice(8)
    var row = [(key: first, moved: 0), (key: second, moved: 0)]
    for number in 1...10_000 {
      let index = dice.roll(1..<row.count)
      let (lower, upper) = (row[index - 1], row[index])
      let side: OrderKey.Side = lower.moved == upper.moved ? .middle : lower.moved > upper.moved ? .lower : .upper
      let key = try #require(OrderKey.between(lower.key, upper.key, near: side, chance: dice.next()))
      row.insert((key, number), at: index)
    }
    #expect(zip(row, row.dropFirst()).allSatisfy { $0.key < $1.key })
    #expect(row.allSatisfy { $0.key.text.utf8.count <= 50 })
  }

  @Test func twoPeopleRarelyMeanTheSamePlace() throws {
    var dice = Dice(9)
    let keys = try (0..<1000).map { _ in
      try #require(OrderKey.between(first, second, near: .middle, chance: dice.next()))
    }
    #expect(Set(keys).count >= 995)
  }

  /// Back and forth between the last two is the worst that can be done; it ends at the limit, not in an endless key.
  @Test func aPlaceCanBecomeTooNarrow() {
    var dice = Dice(10)
    var (lower, upper): (OrderKey, OrderKey) = (first, second)
    var count = 0
    while let key = OrderKey.between(lower, upper, near: .middle, chance: dice.next()), count < 1000 {
      if count.isMultiple(of: 2) { lower = key } else { upper = key }
      count += 1
    }
    #expect((40..<1000).contains(count))
    #expect(OrderKey.between(first, first, near: .middle, chance: 0) == nil)
    #expect(OrderKey.between(second, first, near: .middle, chance: 0) == nil)
  }

  @Test(arguments: [
    "", "00UTnXE0001", "00UTnXE00010", "00UTnXE0001é", "00UTnXE0001 5", String(repeating: "a", count: 65),
  ])
  func whatNoVersionMakesIsNoKey(_ text: String) {
    #expect(OrderKey(moved: Array(text.utf8)) == nil)
  }
}
