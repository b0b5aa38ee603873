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

  /// Joins both; what loses is remembered.
  public func joined(_ other: VersionedDocument) -> VersionedDocument {
    var joined = self
    if document != other.document {
      joined.document = document.joined(other.document)
      joined.remember(document)
      joined.remember(other.document)
    }
    if history != other.history { joined.history.add(other.history.overwritten) }
    return joined
  }

  /// Changes the document, or leaves it as it is; what is overwritten and removed is remembered.
  public mutating func change<Failure: Error>(
    _ body: (inout Document) throws(Failure) -> Void
  ) throws(Failure) {
    var changed = document
    try body(&changed)
    let before = document
    document = changed
    remember(before)
  }

  /// Removes the oldest elements until the others fit (spec §7.4).
  package mutating func fit() { history.add(document.fit()) }

  /// See `Document.restamp`. What was overwritten since is the new one's too: under the old one it would be taken for somebody else's.
  mutating func restamp(_ replica: Replica, after time: UInt64, as new: Replica) {
    document.restamp(replica, after: time, as: new)
    history = History(history.overwritten.map { $0.restamped(replica, after: time, as: new) })
  }

  /// See `Document.restamp`.
  mutating func restamp(
    _ replica: Replica, after time: UInt64, beyond claim: Document, now: Int64
  ) -> [UInt64: UInt64] {
    document.restamp(replica, after: time, beyond: claim, now: now)
  }

  private mutating func remember(_ before: Document) {
    let lost =
      before.registers.filter { document[$0.field] != $0 } + before.elements.filter { !document.elements.contains($0) }
    // Where something stood, and who took something away, is nobody's words.
    history.add(lost.filter { $0.field != Field.order.rawValue && $0.field != Field.taken.rawValue })
  }
}
