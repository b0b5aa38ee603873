import Sealing

/// What stands before the pages of a sealed database (spec §9.3).
struct DatabaseHeader: Equatable {
  private static let magic = Array("todo/v1/database".utf8)

  let suite: UInt8
  let id: DatabaseKeyID

  /// Of a new sealed database.
  init(_ key: DatabaseKey) {
    suite = 1
    id = key.id
  }

  /// Reads one; nil where the bytes begin with something else.
  init?(_ bytes: [UInt8]) {
    guard bytes.starts(with: Self.magic), let id = DatabaseKeyID(bytes: bytes[17..<33]) else { return nil }
    suite = bytes[16]
    self.id = id
  }

  /// All of it.
  var encoded: [UInt8] {
    let facts = Self.magic + [suite] + id.bytes
    return facts + [UInt8](repeating: 0, count: UnitLayout.header - facts.count)
  }
}
