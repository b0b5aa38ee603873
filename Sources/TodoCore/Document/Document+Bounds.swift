/// What a document may hold, so that its section always fits into a page, whatever is joined (spec §7.4).
enum Bounds {
  /// Field numbers, of this version and all later ones.
  static let fields: ClosedRange<UInt32> = 1...63
  /// Of what people write: a title, an element, something overwritten; in bytes.
  static let textBytes = 10_000
  /// Of any other register's value.
  static let valueBytes = 128
  /// Of what this version does not know about a document.
  static let unknownBytes = 1024
  /// Of all elements together, each with its stamp.
  static let elementsBytes = 24_000
  /// What an element costs beside its bytes.
  static let elementOverhead = 40
}

extension Document {
  /// Whether no part is larger than any version may write it.
  var isWithinBounds: Bool {
    unknown.count <= Bounds.unknownBytes && elements.allSatisfy(\.isText)
      && registers.allSatisfy { $0.isText && ($0.field == Field.title.rawValue || $0.bytes <= Bounds.valueBytes) }
  }

  /// Removes the oldest elements until the others fit, and returns them. It is a removal like any other, which travels:
  /// joining itself stays pure, and its laws hold.
  package mutating func fit() -> [Register] {
    var room = Bounds.elementsBytes
    let kept = elements.reversed().prefix { element in
      room -= element.bytes + Bounds.elementOverhead
      return room >= 0
    }.count
    let dropped = Array(elements.dropLast(kept))
    elements.removeFirst(dropped.count)
    return dropped
  }
}

extension Register {
  /// Whether it may stand in a document or its history.
  var isText: Bool { Bounds.fields.contains(field) && bytes <= Bounds.textBytes }
}
