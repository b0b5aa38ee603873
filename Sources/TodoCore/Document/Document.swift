/// The content of a list or a todo: a join-semilattice of registers (docs/spec/07-documents.md).
///
/// It knows no field names, so a field that this version has never heard of merges and travels like any other.
public struct Document: Hashable, Sendable {
  private var byField: [UInt32: Register] = [:]
  /// The highest stamp of each replica in the document's life.
  public private(set) var context = CausalContext()
  /// The context that a deletion covers; empty where nobody ever deleted it.
  public private(set) var deleted = CausalContext()
  /// Fields of the message that this version does not know, as they came.
  private var unknown: [UInt8] = []

  public init() {}

  init(registers: [Register], context: CausalContext, deleted: CausalContext, unknown: [UInt8]) {
    self.context = context
    self.deleted = deleted
    self.unknown = unknown
    for register in registers { keepGreater(register) }
  }

  /// The registers, by field.
  public var registers: [Register] { byField.values.sorted { $0.field < $1.field } }

  /// A field's register, or nil where nobody wrote it.
  public subscript(field: UInt32) -> Register? { byField[field] }

  var unknownBytes: [UInt8] { unknown }

  /// Whether a deletion covers everything that was ever written: any edit that its author had not seen brings it back.
  public var isDeleted: Bool {
    !deleted.isEmpty && byField.values.allSatisfy { deleted.covers($0.stamp) }
  }

  /// The least document that holds what both hold. Commutative, associative and idempotent.
  public func joined(_ other: Document) -> Document {
    var joined = self
    for register in other.byField.values { joined.keepGreater(register) }
    joined.context = context.joined(other.context)
    joined.deleted = deleted.joined(other.deleted)
    joined.unknown = unknown.lexicographicallyPrecedes(other.unknown) ? other.unknown : unknown
    return joined
  }

  /// Writes a field with a new local stamp.
  public mutating func write(_ field: UInt32, _ value: [UInt8], now: Int64, replica: [UInt8]) {
    let register = Register(field: field, value: value, stamp: nextStamp(now: now, replica: replica))
    keepGreater(register)
    context.add(register.stamp)
  }

  /// Deletes what it holds now. A write that is not known here yet stays alive.
  public mutating func delete() {
    deleted = deleted.joined(seen)
  }

  /// Takes a deletion back, by writing one register again: the only one that is sure to exist.
  public mutating func restore(now: Int64, replica: [UInt8]) {
    guard isDeleted, let register = registers.first else { return }
    write(register.field, register.value, now: now, replica: replica)
  }

  /// max(clock, highest time here + 1): later than everything its writer has seen, whatever the clocks say.
  private func nextStamp(now: Int64, replica: [UInt8]) -> Stamp {
    let highest = seen.times.values.max() ?? 0
    let clock = UInt64(max(0, now))
    // A hostile register can stand at the end of time; then the tie is broken by replica.
    return Stamp(time: max(clock, highest == .max ? .max : highest + 1), replica: replica)
  }

  /// The context, and the registers that a careless writer left out of it.
  private var seen: CausalContext {
    context.joined(CausalContext(byField.values.map(\.stamp)))
  }

  private mutating func keepGreater(_ register: Register) {
    byField[register.field] = byField[register.field].map { max($0, register) } ?? register
  }
}
