import CloudAPI
package import Signing

/// Another history of a list than the true one, whose hashes fit.
package struct HistoryLie: Sendable {
  package let name: String
  package let defence: Defence?
  package let ends: [(record: RecordKind, end: Ending)]
  private let bend: @Sendable (inout Retelling, Int) -> Void

  private init(
    _ name: String, _ defence: Defence?, _ ends: KeyValuePairs<RecordKind, Ending>,
    _ bend: @escaping @Sendable (inout Retelling, Int) -> Void
  ) {
    self.name = name
    self.defence = defence
    self.ends = ends.map { ($0.key, $0.value) }
    self.bend = bend
  }

  /// Changes a history at one of its lines, which it has to have.
  package func change(_ retelling: inout Retelling, at index: Int) { bend(&retelling, index) }

  /// How it must end for a kind of record; nil where it does not fit that.
  package func end(for record: RecordKind) -> Ending? {
    (ends.first { $0.record == record } ?? ends.first { $0.record == .log })?.end
  }

  package static let all = [omission, order, repetition, withheld]

  package static let omission = HistoryLie(
    "line omitted", .readLine,
    [
      .header: .stops(.fork, showing: .between), .tombstone: .stops(.fork, showing: .between),
      .permissions: .stops(.fork, showing: .between),
    ]
  ) { $0.told.remove(at: $1) }

  package static let order = HistoryLie(
    "lines in another order, with hashes to match", .readLine, [.log: .stops(.fork, showing: .between)]
  ) { retelling, index in
    guard retelling.told.count > 1 else { return }
    retelling.told.swapAt(index, index == 0 ? 1 : index - 1)
  }

  package static let repetition = HistoryLie(
    "record repeated at a later line", .nodeVersion,
    [
      .header: .setsAside(.versionStale, .forks), .tombstone: .setsAside(.versionStale, .forks),
      .permissions: .stops(.permissionsSuperseded),
    ]
  ) { $0.told.append($0.told[$1]) }

  package static let withheld = HistoryLie(
    "row of the latest line withheld", .latestRow,
    [
      .header: .setsAside(.rowMissing, .mends), .tombstone: .setsAside(.rowMissing, .mends),
      .permissions: .stops(.rowMissing),
    ]
  ) { $0.told[$1].record = nil }
}
