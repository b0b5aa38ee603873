import CloudAPI
public import Treesystem

extension CloudTransaction {
  /// Puts new todos on a list, in this order.
  @discardableResult
  public func addTodos(_ titles: [Title], to list: NodeID) throws -> [Todo] {
    let now = clock.now()
    let replica = try replica()
    return try titles.enumerated().map { index, title in
      let id = try TodoID.draw(entropy, isFree: isFree)
      let node = try createNode(named: id.text, in: list)
      // One millisecond apart, so that every device shows them in the order they were given.
      let created = now + Int64(index)
      var content = VersionedDocument()
      content.write(.kind, Array(Kind.todo.rawValue.utf8), now: now, replica: replica)
      content.write(.created, timeValue(created), now: now, replica: replica)
      content.write(.title, Array(title.text.utf8), now: now, replica: replica)
      try store(content, of: id, node: node.id, list: list)
      return try todo(node.id) ?? { throw TreeError.noSuchNode }()
    }
  }
}

extension VersionedDocument {
  mutating func write(_ field: Field, _ value: [UInt8], now: Int64, replica: [UInt8]) {
    write(field.rawValue, value, now: now, replica: replica)
  }
}
