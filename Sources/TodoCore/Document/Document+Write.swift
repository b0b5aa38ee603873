import Signing

extension Document {
  /// Writes a field that has one value, with a new local stamp.
  public mutating func write(
    _ field: UInt32, _ value: [UInt8], now: Int64, replica: Replica
  ) throws(DocumentError) {
    let register = try take(field, value, now, replica)
    if let index = registers.firstIndex(where: { $0.field >= field }) {
      if registers[index].field == field { registers[index] = register } else { registers.insert(register, at: index) }
    } else {
      registers.append(register)
    }
  }

  /// Adds a value to a field that has several, with a new local stamp: a removal that did not see it leaves it.
  public mutating func add(
    _ field: UInt32, _ value: [UInt8], now: Int64, replica: Replica
  ) throws(DocumentError) {
    // A new stamp is the greatest of all, and so its element is the last.
    elements.append(try take(field, value, now, replica))
  }

  /// Removes elements that are here. What was added elsewhere meanwhile stays.
  public mutating func remove(where isMeant: (Register) -> Bool) {
    elements.removeAll(where: isMeant)
  }

  /// Deletes what it holds now. A write that is not known here yet stays alive.
  public mutating func delete() { deleted = context }

  /// Deletes what it holds now, and says who did it. At the end of time it is deleted all the same.
  mutating func delete(now: Int64, replica: Replica) {
    try? write(Field.taken.rawValue, Taken.everything, now: now, replica: replica)
    delete()
  }

  /// Takes a deletion back, by a write that it does not cover.
  public mutating func restore(now: Int64, replica: Replica) throws(DocumentError) {
    guard isDeleted else { return }
    try write(Field.taken.rawValue, [], now: now, replica: replica)
  }

  /// Removes elements that are here, and says who did it.
  mutating func remove(
    now: Int64, replica: Replica, where isMeant: (Register) -> Bool
  ) throws(DocumentError) {
    let stamps = elements.filter(isMeant).map(\.stamp)
    guard !stamps.isEmpty else { return }
    remove(where: isMeant)
    try write(Field.taken.rawValue, Taken.value(of: stamps), now: now, replica: replica)
  }

  /// A write with a stamp of its own: max(clock, highest time here + 1), later than everything its writer has seen.
  private mutating func take(
    _ field: UInt32, _ value: [UInt8], _ now: Int64, _ replica: Replica
  ) throws(DocumentError) -> Register {
    let highest = Defect.stampWithoutMax.isPlanted ? 0 : context.highest
    // Somebody's clock, or somebody's malice, has used up all time: a stamp that is not new would lose or be taken for another.
    guard highest < .max else { throw .endOfTime }
    let stamp = Stamp(time: max(UInt64(max(0, now)), highest + 1), replica: replica)
    context.add(stamp)
    forget()
    return Register(field: field, value: value, stamp: stamp)
  }
}
