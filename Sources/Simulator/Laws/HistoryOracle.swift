import TodoCore

/// Something that happened in a history, as everybody who has heard of it knows it.
struct Writing {
  enum Deed {
    /// The field has this value now.
    case write
    /// The field has this value as well.
    case add
    /// Additions that were there are gone.
    case remove(Set<Int>)
    /// Everything that was there is deleted.
    case delete
  }

  let deed: Deed
  var field: UInt32 = 0
  var value: [UInt8] = []
  var time: UInt64 = 0
  var author: Int
  /// What its author had heard of: numbers of writings.
  let past: Set<Int>
}

/// What a document has to show, worked out from the set of all writings that have come to somebody, from scratch.
///
/// It shares nothing with `Document`: it knows no contexts and no joins, only who had heard of what.
struct HistoryOracle {
  private(set) var writings: [Writing] = []

  struct Shown: Equatable {
    var registers: [UInt32: [UInt8]] = [:]
    var elements: Set<Element> = []
    var isDeleted = false
  }

  struct Element: Hashable {
    let field: UInt32
    let value: [UInt8]
    let time: UInt64
    let author: Int
  }

  /// Adds a writing of somebody who has heard of `known`. Returns its number.
  mutating func append(_ writing: Writing) -> Int {
    writings.append(writing)
    return writings.count - 1
  }

  /// max(clock, highest time heard of + 1), and never 0.
  func time(_ now: Int64, _ known: Set<Int>) -> UInt64 {
    known.reduce(UInt64(max(1, now))) { time, number in
      let writing = writings[number]
      switch writing.deed {
      case .write, .add: return max(time, writing.time + 1)
      case .remove, .delete: return time
      }
    }
  }

  /// The writing that a field shows; of several the one with the greatest time, then author.
  func winners(_ known: Set<Int>) -> [UInt32: Int] {
    var winners: [UInt32: Int] = [:]
    for number in known.sorted() {
      guard case .write = writings[number].deed else { continue }
      let field = writings[number].field
      if let other = winners[field] {
        let (a, b) = (writings[other], writings[number])
        if (b.time, b.author) > (a.time, a.author) { winners[field] = number }
      } else {
        winners[field] = number
      }
    }
    return winners
  }

  /// Additions that nobody removed.
  func present(_ known: Set<Int>) -> Set<Int> {
    var present: Set<Int> = []
    var removed: Set<Int> = []
    for number in known {
      switch writings[number].deed {
      case .add: present.insert(number)
      case .remove(let numbers): removed.formUnion(numbers)
      case .write, .delete: break
      }
    }
    return present.subtracting(removed)
  }

  /// What somebody sees who has heard of these.
  func shown(_ known: Set<Int>) -> Shown {
    let (winners, present) = (winners(known), present(known))
    var covered: Set<Int> = []
    var wasDeleted = false
    for number in known {
      guard case .delete = writings[number].deed else { continue }
      covered.formUnion(writings[number].past)
      wasDeleted = wasDeleted || writings[number].past.contains { isWriting($0) }
    }
    return Shown(
      registers: winners.mapValues { writings[$0].value },
      elements: Set(
        present.map { number in
          let writing = writings[number]
          return Element(field: writing.field, value: writing.value, time: writing.time, author: writing.author)
        }),
      isDeleted: wasDeleted && winners.values.allSatisfy(covered.contains) && present.allSatisfy(covered.contains))
  }

  private func isWriting(_ number: Int) -> Bool {
    switch writings[number].deed {
    case .write, .add: true
    case .remove, .delete: false
    }
  }
}
