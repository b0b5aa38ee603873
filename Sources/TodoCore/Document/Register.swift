/// One written value: the last of its field, or one of a field's elements.
///
/// Only the field's owner knows what the value means; a document merges it all the same.
public struct Register: Hashable, Comparable, Sendable {
  /// The field's number (docs/spec/07-documents.md).
  public var field: UInt32
  /// The value's bytes.
  public var value: [UInt8]
  /// When it was written, by whom.
  public var stamp: Stamp
  /// Fields of the message that this version does not know, as they came.
  package var unknown: [UInt8] = []

  public init(field: UInt32, value: [UInt8], stamp: Stamp) {
    self.field = field
    self.value = value
    self.stamp = stamp
  }

  /// What it weighs where room is counted.
  var bytes: Int { value.count + unknown.count }

  /// The order in which writes win: by stamp, then by bytes. Field numbers only make it total over different fields.
  public static func < (a: Register, b: Register) -> Bool {
    if a.stamp != b.stamp { return a.stamp < b.stamp }
    if a.field != b.field { return a.field < b.field }
    if a.value != b.value { return a.value.lexicographicallyPrecedes(b.value) }
    return a.unknown.lexicographicallyPrecedes(b.unknown)
  }
}
