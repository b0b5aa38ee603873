import TodoCore

/// Documents that people come to: a few replicas with wrong clocks, who write, tag, note, delete, restore and meet.
struct Reachable {
  private(set) var replicas: [VersionedDocument]

  /// Three that come from one document.
  static func triple(_ dice: inout Dice) -> [VersionedDocument] {
    var people = Reachable(replicas: [VersionedDocument](repeating: VersionedDocument(), count: 3))
    people.act(0, &dice)
    for other in 1..<3 { people.replicas[other] = people.replicas[0] }
    for _ in 0..<dice.roll(12) { people.act(dice.roll(3), &dice) }
    return people.replicas
  }

  private mutating func act(_ who: Int, _ dice: inout Dice) {
    if dice.roll(5) == 0 {
      replicas[who] = replicas[who].joined(replicas[dice.roll(replicas.count)])
    } else {
      replicas[who].act(as: Arbitrary.replica(who + 1), &dice)
    }
  }
}

extension VersionedDocument {
  /// One of the things that a program does to a document. Nothing, where its stamps have come to an end.
  mutating func act(as replica: Replica, _ dice: inout Dice) {
    let (choice, now) = (dice.roll(9), Int64(dice.roll(60)))
    let value = [UInt8(dice.roll(4))]
    let field = UInt32([1, 2, 5, 47][dice.roll(4)])
    try? change { document in
      switch choice {
      case 0: document.delete()
      case 1: try document.restore(now: now, replica: replica)
      case 2:
        document.remove { $0.field == 16 }
        try document.add(16, value, now: now, replica: replica)
      case 3, 4: try document.add(17, value, now: now, replica: replica)
      case 5: document.remove { $0.field == 17 && $0.value == value }
      default: try document.write(field, value, now: now, replica: replica)
      }
    }
    if choice == 8 { fit() }
  }
}
