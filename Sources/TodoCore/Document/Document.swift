/// The content of a list or a todo: a join-semilattice of registers and elements (docs/spec/07-documents.md).
///
/// It knows no field names, so a field that this version has never heard of merges and travels like any other.
public struct Document: Hashable, Sendable {
  /// The last write of each field that has one value, by field.
  public internal(set) var registers: [Register] = []
  /// What was added to fields that have several values, and not removed: by stamp, field and value.
  public internal(set) var elements: [Register] = []
  /// The highest stamp of each replica in the document's life.
  public internal(set) var context = CausalContext()
  /// The context that a deletion covers; empty where nobody ever deleted it.
  public internal(set) var deleted = CausalContext()
  /// Fields of the message that this version does not know, as they came.
  package var unknown: [UInt8] = []

  public init() {}

  package init(
    registers: [Register], elements: [Register] = [], context: CausalContext, deleted: CausalContext, unknown: [UInt8]
  ) {
    self.deleted = deleted
    self.unknown = unknown
    self.registers = Self.greatest(registers)
    // What a careless writer left out of the context was seen all the same.
    var seen = context
    for register in registers where !seen.names(register.stamp) { seen.add(register.stamp) }
    for element in elements where !seen.names(element.stamp) { seen.add(element.stamp) }
    self.context = seen.joined(deleted)
    self.elements = elements.isSortedStrictly ? elements : Set(elements).sorted()
    forget()
  }

  /// A field's register, or nil where nobody wrote it.
  public subscript(field: UInt32) -> Register? { registers.first { $0.field == field } }

  /// A field's elements, oldest first.
  public func elements(of field: UInt32) -> [Register] { elements.filter { $0.field == field } }

  /// Whether a deletion covers everything that was ever written: any edit that its author had not seen brings it back.
  public var isDeleted: Bool {
    !deleted.isEmpty && registers.allSatisfy { deleted.covers($0.stamp) }
      && elements.allSatisfy { deleted.covers($0.stamp) }
  }

  /// Lets go of elements that a full context counts as seen, and says nothing more of.
  mutating func forget() {
    guard context.stamps.count >= CausalContext.limit else { return }
    elements.removeAll { context.forgets($0.stamp) }
  }

  private static func greatest(_ registers: [Register]) -> [Register] {
    if zip(registers, registers.dropFirst()).allSatisfy({ $0.field < $1.field }) { return registers }
    return Dictionary(registers.map { ($0.field, $0) }, uniquingKeysWith: max).values.sorted { $0.field < $1.field }
  }
}

extension Array where Element: Comparable {
  /// Whether each is greater than the one before.
  var isSortedStrictly: Bool { count < 2 || zip(self, dropFirst()).allSatisfy { $0 < $1 } }
}
