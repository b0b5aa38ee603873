extension Document {
  /// The least document that holds what both hold. Commutative, associative and idempotent.
  public func joined(_ other: Document) -> Document {
    var joined = Document()
    joined.registers = Self.greater(registers, other.registers)
    joined.elements = remaining(with: other)
    joined.context = context.joined(other.context)
    joined.deleted = deleted.joined(other.deleted)
    joined.unknown = unknown.lexicographicallyPrecedes(other.unknown) ? other.unknown : unknown
    joined.forget()
    return joined
  }

  /// By field the greater of two registers.
  private static func greater(_ a: [Register], _ b: [Register]) -> [Register] {
    var result: [Register] = []
    result.reserveCapacity(max(a.count, b.count))
    var (i, j) = (0, 0)
    while i < a.count || j < b.count {
      if j == b.count || i < a.count && a[i].field < b[j].field {
        result.append(a[i])
        i += 1
      } else if i == a.count || b[j].field < a[i].field {
        result.append(b[j])
        j += 1
      } else {
        result.append(max(a[i], b[j]))
        i += 1
        j += 1
      }
    }
    return result
  }

  /// The elements that both have, and those of either that the other has never seen: what it saw and lacks was removed.
  private func remaining(with other: Document) -> [Register] {
    if elements == other.elements { return elements }
    var result: [Register] = []
    var (i, j) = (0, 0)
    while i < elements.count || j < other.elements.count {
      if j == other.elements.count || i < elements.count && elements[i] < other.elements[j] {
        if !other.context.names(elements[i].stamp) { result.append(elements[i]) }
        i += 1
      } else if i == elements.count || other.elements[j] < elements[i] {
        if !context.names(other.elements[j].stamp) { result.append(other.elements[j]) }
        j += 1
      } else {
        result.append(elements[i])
        i += 1
        j += 1
      }
    }
    return result
  }
}
