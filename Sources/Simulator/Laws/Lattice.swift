import TodoCore

/// A type whose values are joined, and where random ones come from.
struct Lattice<Value: Hashable & Sendable>: Sendable {
  let name: String
  let join: @Sendable (Value, Value) -> Value
  /// Three values that have something to do with each other.
  let triple: @Sendable (inout Dice) -> [Value]
  /// A local change, which has to come to something greater; nil where there is none.
  let change: (@Sendable (Value, inout Dice) -> Value)?

  /// The first law that three values break; nil if they keep all.
  func broken(_ a: Value, _ b: Value, _ c: Value, _ dice: inout Dice) -> String? {
    let ab = join(a, b)
    let bc = join(b, c)
    if ab != join(b, a) { return "commutative" }
    if join(ab, c) != join(a, bc) { return "associative" }
    if join(a, a) != a { return "idempotent" }
    // The join is an upper bound, and the least: nothing more than both is in it.
    if join(a, ab) != ab || join(b, ab) != ab { return "upper bound" }
    // What grows stays greater, whatever both are joined with.
    let (ac, abc) = (join(a, c), join(ab, c))
    if join(ac, abc) != abc { return "monotone" }
    if let change {
      let changed = change(a, &dice)
      if join(a, changed) != changed { return "inflation" }
    }
    return nil
  }
}

enum Lattices {
  static let register = Lattice<Register>(
    name: "register", join: { max($0, $1) },
    triple: { dice in (0..<3).map { _ in Arbitrary.register(1, &dice) } }, change: nil)

  static let context = Lattice<CausalContext>(
    name: "context", join: { $0.joined($1) },
    triple: { dice in (0..<3).map { _ in Arbitrary.context(&dice) } },
    change: { value, dice in
      var value = value
      value.add(Arbitrary.stamp(&dice))
      return value
    })

  static let tags = documents("tags", registers: [1], elements: [17])
  static let notes = documents("notes", registers: [1], elements: [16])
  static let document = documents("document", registers: [1, 2, 5, 47], elements: [16, 17, 48])

  static let deleted = Lattice<Document>(
    name: "deleted", join: { $0.joined($1) },
    triple: { dice in
      var triple = (0..<3).map { _ in Arbitrary.document(registers: [1, 2], elements: [17], &dice) }
      for index in triple.indices where dice.roll(2) == 0 { triple[index].delete() }
      return triple
    },
    change: { value, _ in
      var value = value
      value.delete()
      return value
    })

  static let history = Lattice<History>(
    name: "history",
    join: { a, b in
      var a = a
      a.add(b.overwritten)
      return a
    },
    triple: { dice in (0..<3).map { _ in Arbitrary.history(&dice) } },
    change: { value, dice in
      var value = value
      value.add([Arbitrary.register(1, &dice)])
      return value
    })

  static let versioned = Lattice<VersionedDocument>(
    name: "document with history", join: { $0.joined($1) },
    triple: { dice in
      dice.roll(2) == 0 ? Reachable.triple(&dice) : (0..<3).map { _ in Arbitrary.versioned(&dice) }
    },
    change: { value, dice in
      var value = value
      value.act(as: Arbitrary.replica(dice.roll(4)), &dice)
      return value
    })

  private static func documents(_ name: String, registers: [UInt32], elements: [UInt32]) -> Lattice<Document> {
    Lattice(
      name: name, join: { $0.joined($1) },
      triple: { dice in
        if dice.roll(2) == 0 { return Reachable.triple(&dice).map(\.document) }
        return (0..<3).map { _ in Arbitrary.document(registers: registers, elements: elements, &dice) }
      },
      change: { value, dice in
        var value = VersionedDocument(value)
        value.act(as: Arbitrary.replica(dice.roll(4)), &dice)
        return value.document
      })
  }
}
