import TodoCore

/// Documents that outgrow their section: everybody lets go of the same, and all agree in the end (spec §7.4).
public enum CrowdCheck {
  /// Plays histories of long notes. Returns what went wrong, with the history's seed; empty if nothing did.
  public static func failures(count: Int, seed: UInt64 = 1) -> [String] {
    (0..<count).compactMap { number in
      play(seed &+ UInt64(number)).map { "crowd \(seed &+ UInt64(number)): \($0)" }
    }
  }

  private static func play(_ seed: UInt64) -> String? {
    var dice = Dice(seed)
    var people = [VersionedDocument](repeating: VersionedDocument(), count: 2 + dice.roll(4))
    for step in 0..<(8 + dice.roll(16)) {
      let who = dice.roll(people.count)
      if dice.roll(3) == 0 {
        people[who] = people[who].joined(people[dice.roll(people.count)])
      } else {
        let text = [UInt8](repeating: UInt8(step), count: 1000 + dice.roll(9000))
        let field = UInt32(16 + dice.roll(2))
        try? people[who].change { document in
          try document.add(field, text, now: Int64(dice.roll(50)), replica: Arbitrary.replica(who + 3))
        }
      }
      people[who].fit()
      if people[who].document.bytes.count > 26_000 { return "step \(step): too large" }
    }
    return agree(&people)
  }

  /// As members of a list do it: each reads what the server has, joins, fits, and writes where there is more.
  private static func agree(_ people: inout [VersionedDocument]) -> String? {
    var server = VersionedDocument()
    for round in 0..<4 {
      var isQuiet = true
      for who in people.indices {
        var joined = people[who].joined(server)
        joined.fit()
        people[who] = joined
        if joined != server { (server, isQuiet) = (joined, false) }
      }
      if isQuiet { return people.allSatisfy { $0 == server } ? nil : "round \(round): they differ" }
    }
    return "they never agree"
  }
}
