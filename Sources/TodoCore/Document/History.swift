/// Values that were overwritten, so that nobody's words vanish silently: a union, of which the latest 32 are kept.
public struct History: Hashable, Sendable {
  /// How many are kept: enough for a person to find what they lost, little enough to travel with each change.
  public static let limit = 32
  /// Of the values together, in bytes, so that the section always fits into a page (spec §7).
  public static let byteLimit = 24 * 1024

  /// The overwritten registers, oldest first.
  public private(set) var overwritten: [Register] = []

  public init() {}

  init(_ registers: some Sequence<Register>) {
    add(registers)
  }

  /// Remembers registers; those that are known already count once.
  public mutating func add(_ registers: some Sequence<Register>) {
    var room = Self.byteLimit
    let latest = Set(overwritten).union(registers).sorted().reversed().prefix(Self.limit).prefix { register in
      room -= register.value.count
      return room >= 0
    }
    overwritten = latest.reversed()
  }
}

/// A document and what was overwritten in it: what a node's data and history sections hold.
public struct VersionedDocument: Hashable, Sendable {
  /// The current values.
  public private(set) var document: Document
  /// The values before.
  public private(set) var history: History

  public init(_ document: Document = Document(), history: History = History()) {
    self.document = document
    self.history = history
  }

  /// Joins both; registers that lose are remembered.
  public func joined(_ other: VersionedDocument) -> VersionedDocument {
    let joined = document.joined(other.document)
    var history = history
    history.add(other.history.overwritten)
    history.add((document.registers + other.document.registers).filter { joined[$0.field] != $0 })
    return VersionedDocument(joined, history: history)
  }

  /// Writes a field; the value before is remembered.
  public mutating func write(_ field: UInt32, _ value: [UInt8], now: Int64, replica: [UInt8]) {
    let before = document[field]
    document.write(field, value, now: now, replica: replica)
    if let before, document[field] != before { history.add([before]) }
  }

  /// See `Document.delete`.
  public mutating func delete() { document.delete() }

  /// See `Document.restore`.
  public mutating func restore(now: Int64, replica: [UInt8]) { document.restore(now: now, replica: replica) }
}
