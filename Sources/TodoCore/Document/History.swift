/// Values that were overwritten, so that nobody's words vanish silently: a union, of which the latest 32 are kept.
public struct History: Hashable, Sendable {
  /// How many are kept: enough for a person to find what they lost, little enough to travel with each change.
  public static let limit = 32
  /// Of the values together, in bytes, so that the section always fits into a page (spec §7.5).
  public static let byteLimit = 24 * 1024

  /// The overwritten registers and elements, oldest first.
  public private(set) var overwritten: [Register] = []

  public init() {}

  package init(_ registers: some Sequence<Register>) {
    add(Array(registers))
  }

  /// Remembers registers; those that are known already count once.
  public mutating func add(_ registers: [Register]) {
    if registers.isEmpty { return }
    var room = Self.byteLimit
    let latest = Set(overwritten).union(registers).sorted().reversed().prefix(Self.limit).prefix { register in
      room -= register.bytes
      return room >= 0
    }
    overwritten = latest.reversed()
  }
}
