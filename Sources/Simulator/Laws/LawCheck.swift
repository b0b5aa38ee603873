import TodoCore

/// The laws of docs/spec/07-documents.md, attacked with random values.
public enum LawCheck {
  /// The types that are checked.
  public static let types = [
    "register", "tags", "notes", "context", "deleted", "history", "document", "document with history", "order keys",
    "encoding",
  ]

  /// Tries so many triples of one type. Returns what was broken, with the triple's seed; empty if nothing was.
  public static func failures(of type: String, triples: Int, seed: UInt64 = 1) -> [String] {
    switch type {
    case "register": check(Lattices.register, triples, seed)
    case "tags": check(Lattices.tags, triples, seed)
    case "notes": check(Lattices.notes, triples, seed)
    case "context": check(Lattices.context, triples, seed)
    case "deleted": check(Lattices.deleted, triples, seed)
    case "history": check(Lattices.history, triples, seed)
    case "document": check(Lattices.document, triples, seed)
    case "document with history": check(Lattices.versioned, triples, seed)
    case "order keys": collect(type, triples, seed, brokenOrder)
    case "encoding": collect(type, triples, seed, brokenEncoding)
    default: ["no such type: \(type)"]
    }
  }

  /// How many failures are worth telling.
  private static let limit = 10

  private static func check<Value>(_ lattice: Lattice<Value>, _ triples: Int, _ seed: UInt64) -> [String] {
    collect(lattice.name, triples, seed) { dice in
      let triple = lattice.triple(&dice)
      return lattice.broken(triple[0], triple[1], triple[2], &dice)
    }
  }

  private static func collect(
    _ name: String, _ triples: Int, _ seed: UInt64, _ attempt: (inout Dice) -> String?
  ) -> [String] {
    var failures: [String] = []
    for number in 0..<triples where failures.count < limit {
      var dice = Dice(seed &+ UInt64(number))
      if let law = attempt(&dice) { failures.append("\(name): not \(law), seed \(seed &+ UInt64(number))") }
    }
    return failures
  }

  /// Keys are in a total order, and one that is made lies between its neighbours and is believed by others.
  private static func brokenOrder(_ dice: inout Dice) -> String? {
    let (a, b, c) = (Arbitrary.orderKey(&dice), Arbitrary.orderKey(&dice), Arbitrary.orderKey(&dice))
    if [a < b, b < a, a == b].count(where: { $0 }) != 1 { return "total" }
    if a < b, b < c, !(a < c) { return "transitive" }
    if (a < b) != (Array(a.text.utf8).lexicographicallyPrecedes(Array(b.text.utf8))) { return "bytewise" }
    let (lower, upper) = (min(a, b), max(a, b))
    let side = [OrderKey.Side.lower, .upper, .middle][dice.roll(3)]
    guard lower < upper else { return nil }
    for (lower, upper) in [(lower, upper), (nil, upper), (lower, nil)] as [(OrderKey?, OrderKey?)] {
      guard let key = OrderKey.between(lower, upper, near: side, chance: dice.next()) else {
        if max(lower?.text.utf8.count ?? 0, upper?.text.utf8.count ?? 0) < 32 { return "dense" }
        continue
      }
      if let lower, !(lower < key) { return "above its neighbour" }
      if let upper, !(key < upper) { return "below its neighbour" }
      if OrderKey(moved: Array(key.text.utf8)) != key { return "a key" }
    }
    return nil
  }

  /// What is written is read again, and says the same.
  private static func brokenEncoding(_ dice: inout Dice) -> String? {
    let content = Arbitrary.versioned(&dice).joined(Arbitrary.versioned(&dice))
    guard let read = try? Document(bytes: content.document.bytes), read == content.document else { return "read" }
    guard read.bytes == content.document.bytes else { return "canonical" }
    guard (try? History(bytes: content.history.bytes)) == content.history else { return "read (history)" }
    return nil
  }
}
