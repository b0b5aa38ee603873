import TodoCore

/// Histories of two to six replicas, whose documents have to show what the oracle works out.
public enum HistoryCheck {
  /// Plays histories. Returns what differed, with the history's seed; empty if nothing did.
  public static func failures(count: Int, seed: UInt64 = 1) -> [String] {
    var failures: [String] = []
    for number in 0..<count where failures.count < 10 {
      let seed = seed &+ UInt64(number)
      var history = PlayedHistory(seed)
      if let failure = history.play() { failures.append("history \(seed): \(failure)") }
    }
    return failures
  }
}

/// One history: people with wrong clocks write, and hear of each other late, in part and again.
struct PlayedHistory {
  private struct Person {
    var content = VersionedDocument()
    /// What has come to this person: numbers of the oracle's writings.
    var known: Set<Int> = []
  }

  /// Who took something away is nobody's text.
  private static let taken: UInt32 = 15

  private var dice: Dice
  private var oracle = HistoryOracle()
  private var people: [Person]
  /// States that are under way, and arrive late or twice.
  private var underWay: [Person] = []
  private var clocks: [Int64]

  init(_ seed: UInt64) {
    dice = Dice(seed)
    people = [Person](repeating: Person(), count: 2 + dice.roll(5))
    clocks = people.map { _ in 0 }
    for index in clocks.indices { clocks[index] = Int64(dice.roll(100)) }
  }

  mutating func play() -> String? {
    for step in 0..<(10 + dice.roll(30)) {
      let who = dice.roll(people.count)
      clocks[who] += Int64(dice.roll(12)) - 3
      do {
        if dice.roll(3) == 0 { try hear(who) } else { try act(who) }
      } catch {
        return "step \(step): \(error)"
      }
      if let difference = difference(who) { return "step \(step): \(difference)" }
      if dice.roll(4) == 0 { underWay.append(people[who]) }
    }
    return healed()
  }

  /// Something arrives: another's state of now, or one that was under way.
  private mutating func hear(_ who: Int) throws {
    let isLate = !underWay.isEmpty && dice.roll(2) == 0
    let other = isLate ? underWay[dice.roll(underWay.count)] : people[dice.roll(people.count)]
    let bytes = other.content.document.bytes
    let remote = VersionedDocument(
      try Document(bytes: bytes), history: try History(bytes: other.content.history.bytes))
    people[who].content = people[who].content.joined(remote)
    people[who].known.formUnion(other.known)
  }

  private mutating func act(_ who: Int) throws {
    let value = [UInt8(dice.roll(5))]
    switch dice.roll(8) {
    case 0: try delete(who)
    case 1: try restore(who)
    case 2:
      remove(who) { $0.field == 16 }
      try add(who, 16, value)
    case 3, 4: try add(who, 17, value)
    case 5: remove(who) { $0.field == 17 && $0.value == value }
    default: try write(who, UInt32([1, 2, 47][dice.roll(3)]), value)
    }
  }

  private mutating func write(_ who: Int, _ field: UInt32, _ value: [UInt8]) throws {
    record(.write, who, field, value)
    try people[who].content.change { document in
      try document.write(field, value, now: clocks[who], replica: Arbitrary.replica(who + 3))
    }
  }

  private mutating func add(_ who: Int, _ field: UInt32, _ value: [UInt8]) throws {
    record(.add, who, field, value)
    try people[who].content.change { document in
      try document.add(field, value, now: clocks[who], replica: Arbitrary.replica(who + 3))
    }
  }

  private mutating func remove(_ who: Int, where isMeant: (Writing) -> Bool) {
    let meant = oracle.present(people[who].known).filter { isMeant(oracle.writings[$0]) }
    record(.remove(meant), who, 0, [])
    let writings = meant.map { oracle.writings[$0] }
    people[who].content.change { document in
      document.remove { element in
        writings.contains { $0.field == element.field && $0.value == element.value && $0.time == element.stamp.time }
      }
    }
  }

  private mutating func delete(_ who: Int) throws {
    record(.delete, who, 0, [])
    people[who].content.change { $0.delete() }
  }

  private mutating func restore(_ who: Int) throws {
    let known = people[who].known
    if oracle.shown(known).isDeleted { record(.write, who, Self.taken, []) }
    try people[who].content.change { try $0.restore(now: clocks[who], replica: Arbitrary.replica(who + 3)) }
  }

  private mutating func record(_ deed: Writing.Deed, _ who: Int, _ field: UInt32, _ value: [UInt8]) {
    let known = people[who].known
    let number = oracle.append(
      Writing(
        deed: deed, field: field, value: value, time: oracle.time(clocks[who], known), author: who, past: known))
    people[who].known.insert(number)
  }

  private func difference(_ who: Int) -> String? {
    let (document, expected) = (people[who].content.document, oracle.shown(people[who].known))
    let registers = Dictionary(uniqueKeysWithValues: document.registers.map { ($0.field, $0.value) })
    if registers != expected.registers { return "registers \(registers), not \(expected.registers)" }
    let elements = document.elements.map { element in
      HistoryOracle.Element(
        field: element.field, value: element.value, time: element.stamp.time,
        author: people.indices.first { Arbitrary.replica($0 + 3) == element.stamp.replica } ?? -1)
    }
    if elements.count != expected.elements.count || Set(elements) != expected.elements {
      return "elements \(elements), not \(expected.elements)"
    }
    if document.isDeleted != expected.isDeleted { return "deleted \(document.isDeleted), not \(expected.isDeleted)" }
    return nil
  }

  /// Everybody hears of everybody, in two orders: all end with the same, and nobody's text without a trace.
  private mutating func healed() -> String? {
    let forwards = people.dropFirst().reduce(people[0].content) { $0.joined($1.content) }
    let backwards = people.dropLast().reversed().reduce(people[people.count - 1].content) { $0.joined($1.content) }
    if forwards != backwards { return "healed: two orders, two documents" }
    people[0].content = forwards
    for person in people { people[0].known.formUnion(person.known) }
    if let difference = difference(0) { return "healed: \(difference)" }
    // Before the history is full it has every text that is not shown.
    let kept = forwards.history.overwritten
    if kept.count < History.limit {
      for number in people[0].known {
        let writing = oracle.writings[number]
        guard case .write = writing.deed, writing.field != Self.taken else { continue }
        let shown = forwards.document.registers + kept
        if !shown.contains(where: { $0.field == writing.field && $0.stamp.time == writing.time }) {
          return "healed: a text is gone without a trace"
        }
      }
    }
    return nil
  }
}
