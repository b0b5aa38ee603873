/// The value of `Field.taken` (spec §7.1): a deletion and a removal bear no stamp of their own, so that field says whose they are.
enum Taken {
  /// The whole document.
  static let everything: [UInt8] = [0x31]
  /// Stamps that fit into a register's value; of more the latest are named.
  private static let most = 8
  private static let stampLength = 16

  /// Names removed elements.
  static func value(of stamps: [Stamp]) -> [UInt8] {
    stamps.sorted().suffix(most).flatMap { bigEndian($0.time) + $0.replica.bytes }
  }

  /// The elements that a value names.
  static func stamps(in value: [UInt8]) -> [Stamp] {
    guard value.count.isMultiple(of: stampLength) else { return [] }
    return stride(from: 0, to: value.count, by: stampLength).compactMap { start in
      let bytes = value[start..<start + stampLength]
      let time = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Replica(bytes: bytes.dropFirst(8)).map { Stamp(time: time, replica: $0) }
    }
  }
}

extension Document {
  /// The write that says who deleted it: the last of all. Nil where nobody says so.
  var deletion: Register? {
    guard let taken = self[Field.taken.rawValue], taken.value == Taken.everything, taken == latest else { return nil }
    return taken
  }

  /// The last write of all.
  var latest: Register? { [registers.max(), elements.last].compactMap { $0 }.max() }
}
