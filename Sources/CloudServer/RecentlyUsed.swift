/// Values that were used last, as many as there is room for. What was used longest ago goes first, one at a time, so nobody who fills it makes
/// everybody else begin anew.
struct RecentlyUsed<Key: Hashable, Value> {
  private struct Entry {
    let value: Value
    let cost: Int
    var use: Int
  }

  private let limit: Int
  private var entries: [Key: Entry] = [:]
  /// In the order of their uses. Of a key only its last use counts, the others are passed over.
  private var uses: [(key: Key, use: Int)] = []
  private var first = 0
  private var last = 0
  private(set) var cost = 0

  init(limit: Int) { self.limit = limit }

  /// The value for a key, which is used by that.
  mutating func value(for key: Key) -> Value? {
    guard let entry = entries[key] else { return nil }
    if entry.use != last { use(key) }
    return entry.value
  }

  /// Keeps a value in place of another one. One that is dearer than the limit is not kept.
  mutating func keep(_ value: Value, for key: Key, cost: Int = 1) {
    if let before = entries.removeValue(forKey: key) { self.cost -= before.cost }
    guard cost <= limit else { return }
    entries[key] = Entry(value: value, cost: cost, use: 0)
    self.cost += cost
    use(key)
    while self.cost > limit { forgetOldest() }
  }

  private mutating func use(_ key: Key) {
    last += 1
    entries[key]?.use = last
    uses.append((key, last))
    guard uses.count - first > 2 * entries.count + 16 || first > uses.count / 2 + 16 else { return }
    uses = uses[first...].filter { entries[$0.key]?.use == $0.use }
    first = 0
  }

  private mutating func forgetOldest() {
    let (key, use) = uses[first]
    first += 1
    guard let entry = entries[key], entry.use == use else { return }
    entries[key] = nil
    cost -= entry.cost
  }
}
