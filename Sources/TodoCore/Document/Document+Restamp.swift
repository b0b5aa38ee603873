extension Document {
  /// Gives what a replica wrote after `time` to another one, as if that had written it.
  ///
  /// For writes that nobody else has seen, of a profile that came back from a backup: what its replica wrote since the
  /// backup elsewhere is then no longer taken for seen. Times stay, so the order of writes does.
  package mutating func restamp(_ replica: Replica, after time: UInt64, as new: Replica) {
    guard let last = context[replica], last > time else { return }
    let wasDeleted = isDeleted
    let known = time == 0 ? nil : time
    func moved(_ register: Register) -> Register {
      guard register.stamp.replica == replica, register.stamp.time > time else { return register }
      var register = register
      register.stamp.replica = new
      return register
    }
    registers = registers.map(moved)
    elements = elements.map(moved).sorted()
    context.replace(replica, with: known)
    context.add(Stamp(time: last, replica: new))
    if let covered = deleted[replica], covered > time { deleted.replace(replica, with: known) }
    if wasDeleted { delete() }
    forget()
  }
}
