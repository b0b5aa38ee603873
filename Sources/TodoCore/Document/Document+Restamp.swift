extension Document {
  /// Gives what a replica wrote after `time` to another one, as if that had written it.
  ///
  /// For writes that nobody else has seen, of a profile that came back from a backup: what its replica wrote since the
  /// backup elsewhere is then no longer taken for seen. Times stay, so the order of writes does.
  package mutating func restamp(_ replica: Replica, after time: UInt64, as new: Replica) {
    guard let last = context[replica], last > time else { return }
    let wasDeleted = isDeleted
    let known = time == 0 ? nil : time
    registers = registers.map { $0.restamped(replica, after: time, as: new) }
    elements = elements.map { $0.restamped(replica, after: time, as: new) }.sorted()
    context.replace(replica, with: known)
    context.add(Stamp(time: last, replica: new))
    if let covered = deleted[replica], covered > time { deleted.replace(replica, with: known) }
    if wasDeleted { delete() }
    forget()
  }

  /// Gives what a replica wrote after `time`, and another version claims to have seen and does not hold, later stamps, in the same order.
  /// Returns the new times by the old ones.
  @discardableResult
  mutating func restamp(
    _ replica: Replica, after time: UInt64, beyond claim: Document, now: Int64
  ) -> [UInt64: UInt64] {
    func isMeant(_ register: Register) -> Bool {
      register.stamp.replica == replica && register.stamp.time > time && claim.context.covers(register.stamp)
        && !claim.holds(register)
    }
    let wasDeleted = isDeleted
    let meant = (registers + elements).filter(isMeant).map(\.stamp.time).sorted()
    let highest = max(context.highest, claim.context.highest, UInt64(max(0, now)))
    guard !meant.isEmpty, highest < .max - UInt64(meant.count) else { return [:] }
    let times = Dictionary(zip(meant, (1...).lazy.map { highest + $0 })) { _, last in last }
    func moved(_ register: Register) -> Register {
      guard isMeant(register), let later = times[register.stamp.time] else { return register }
      var register = register
      register.stamp.time = later
      return register
    }
    registers = registers.map(moved)
    elements = elements.map(moved).sorted()
    context.add(Stamp(time: highest + UInt64(meant.count), replica: replica))
    if wasDeleted { delete() }
    forget()
    return times
  }

  /// Gives writes of a replica the times that they have got where they stand now.
  mutating func restamp(_ replica: Replica, _ times: [UInt64: UInt64]) {
    let wasDeleted = isDeleted
    func moved(_ register: Register) -> Register {
      guard register.stamp.replica == replica, let time = times[register.stamp.time] else { return register }
      var register = register
      register.stamp.time = time
      return register
    }
    registers = registers.map(moved)
    elements = elements.map(moved).sorted()
    for write in writes { context.add(write.stamp) }
    if wasDeleted { delete() }
    forget()
  }

  /// Gives one write to a greater replica at the same time, so that it beats what it beat and loses to whatever came after it. Returns it.
  /// Where the replica is not greater the time is the next one; nil at the end of time.
  mutating func disown(_ write: Register, to nobody: Replica, as value: [UInt8]? = nil) -> Register? {
    let isGreater = nobody > write.stamp.replica
    guard isGreater || write.stamp.time < .max else { return nil }
    let wasDeleted = isDeleted
    var again = write
    again.stamp = Stamp(time: write.stamp.time + (isGreater ? 0 : 1), replica: nobody)
    if let value { again.value = value }
    registers = registers.map { $0 == write ? again : $0 }
    elements = elements.map { $0 == write ? again : $0 }.sorted()
    context.add(again.stamp)
    if wasDeleted { delete() }
    forget()
    return again
  }
}

extension Register {
  /// The same as if another replica had written it, where it is of this one and later.
  func restamped(_ replica: Replica, after time: UInt64, as new: Replica) -> Register {
    guard stamp.replica == replica, stamp.time > time else { return self }
    var register = self
    register.stamp.replica = new
    return register
  }
}
