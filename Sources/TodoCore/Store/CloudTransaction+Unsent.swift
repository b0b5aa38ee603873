import GRDB
public import Treesystem

/// What a change that waits would do to a list or todo, in the eyes of a person.
public struct UnsentChange: Hashable, Sendable {
  /// In the words of news; empty where none of them fits.
  public let kinds: [News.Kind]
  /// Whether it takes another place among the others.
  public let isMoved: Bool
}

extension CloudTransaction {
  /// What the server does not have of a list or todo, as far as can be told here; nil for a node that is neither.
  public func unsentChange(of id: NodeID) throws -> UnsentChange? {
    guard let node = try node(id), let stored = try storedDocument(of: id, in: node.isBranchRoot ? .lists : .todos)
    else { return nil }
    let after = stored.content.document
    let isSent = try isSent(stored)
    let isMoved = after[Field.order.rawValue].map { !isSent($0) } ?? false
    guard let before = stored.content.before(isSent) else { return UnsentChange(kinds: [.added], isMoved: false) }
    // A deletion bears no stamp.
    var kinds = after.isDeleted && !node.isBranchRoot ? [.removed] : News.Kind.between(before, after, node.isBranchRoot)
    if !kinds.contains(.edited), Set(before.elements) != Set(after.elements) { kinds.append(.edited) }
    return UnsentChange(kinds: kinds, isMoved: isMoved && !after.isDeleted)
  }

  /// A list or todo without what the server does not have, as far as can be told here; nil where it has nothing. What was
  /// written since is remembered in the history.
  func sentContent(of id: NodeID, in table: DocumentTable) throws -> VersionedDocument? {
    guard let stored = try storedDocument(of: id, in: table),
      let before = try stored.content.before(isSent(stored))
    else { return nil }
    var content = stored.content
    content.change { document in
      document = Document(
        registers: before.registers, elements: before.elements, context: document.context,
        deleted: document.isDeleted ? CausalContext() : document.deleted, unknown: document.unknown)
    }
    return content
  }

  /// Tells what others wrote, and this profile with the server's knowledge.
  private func isSent(_ stored: StoredDocument) throws -> (Register) -> Bool {
    let replica = try knownReplica()
    return { $0.stamp.replica != replica || $0.stamp.time <= stored.confirmed ?? .max }
  }

  /// What a deletion that waits took: what it is, and its title. Nil where nothing is known of it.
  public func taken(by operation: QueuedOperation) throws -> (kind: Kind?, title: String)? {
    guard let data = try content(takenBy: operation)?.data, !data.isEmpty else { return nil }
    let document = try Document(bytes: data)
    return (document.kind, document.title)
  }
}

extension VersionedDocument {
  /// The document with what stood there before some writes, as far as the history tells; nil where there was nothing.
  fileprivate func before(_ isSent: (Register) -> Bool) -> Document? {
    let registers = document.registers.compactMap { register in
      isSent(register) ? register : history.overwritten.last { $0.field == register.field && isSent($0) }
    }
    if registers.isEmpty { return nil }
    return Document(
      registers: registers, elements: document.elements.filter(isSent) + replacedNote(isSent), context: CausalContext(),
      deleted: document.deleted, unknown: [])
  }

  /// The note in whose place one was written that the server does not have; of several the last.
  private func replacedNote(_ isSent: (Register) -> Bool) -> [Register] {
    let notes = document.elements.filter { $0.field == Field.note.rawValue }
    guard !notes.isEmpty, !notes.contains(where: isSent) else { return [] }
    return history.overwritten.last { $0.field == Field.note.rawValue && isSent($0) }.map { [$0] } ?? []
  }
}
