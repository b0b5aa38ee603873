extension VersionedDocument {
  /// The defect `stampClamped`: stamps from the future are made to look like the present.
  func clamped(to now: Int64) -> VersionedDocument {
    var clamped = document
    clamped.registers = document.registers.map { register in
      var register = register
      register.stamp.time = min(register.stamp.time, UInt64(max(0, now)))
      return register
    }
    return VersionedDocument(clamped, history: history)
  }
}
