/// The fields that this version knows, and how their values are written (docs/spec/07-documents.md).
public enum Field: UInt32, Sendable {
  /// UTF-8, of a list or a todo.
  case title = 1
  /// When a todo was ticked; empty while it is open.
  case done = 2
  /// When a list or todo was made.
  case created = 3
  /// `list` or `todo`.
  case kind = 4
}

/// What a node of ours is.
public enum Kind: String, Sendable {
  case list
  case todo
}

extension Document {
  /// The title; a value that is not UTF-8 (only a broken client writes one) is shown with replacement characters.
  public var title: String { String(decoding: self[Field.title.rawValue]?.value ?? [], as: UTF8.self) }

  /// When it was ticked, in milliseconds since 1970; nil while it is open.
  public var doneAt: Int64? { time(.done) }

  /// When it was made, in milliseconds since 1970.
  public var createdAt: Int64 { time(.created) ?? 0 }

  /// What it is; nil for a kind of a newer version.
  public var kind: Kind? { Kind(rawValue: String(decoding: self[Field.kind.rawValue]?.value ?? [], as: UTF8.self)) }

  private func time(_ field: Field) -> Int64? {
    guard let value = self[field.rawValue]?.value, value.count == 8 else { return nil }
    return Int64(clamping: value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

/// A time as a register holds it: `u64`, big-endian.
func timeValue(_ milliseconds: Int64) -> [UInt8] {
  let time = UInt64(max(0, milliseconds))
  return stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: time >> UInt64($0)) }
}
