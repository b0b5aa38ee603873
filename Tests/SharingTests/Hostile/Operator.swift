import CloudAPI
import Lies
import Signing
import Testing

/// One way of lying: what it fits, and how it must end for each.
struct Operator: Sendable {
  let name: String
  /// The check that it meets first; nil where there is nothing to check, because nothing false can come of it.
  let defence: Defence?
  let fits: [(record: RecordKind, end: Ending)]
  /// Lets people act on the scene, and prepares the lie.
  let play: @Sendable (Scene, RecordKind) async throws -> Void

  init(
    _ name: String, _ defence: Defence?, _ fits: KeyValuePairs<RecordKind, Ending>,
    _ play: @escaping @Sendable (Scene, RecordKind) async throws -> Void
  ) {
    self.init(name, defence, fits.map { ($0.key, $0.value) }, play)
  }

  init(
    _ name: String, _ defence: Defence?, _ fits: [(record: RecordKind, end: Ending)],
    _ play: @escaping @Sendable (Scene, RecordKind) async throws -> Void
  ) {
    self.name = name
    self.defence = defence
    self.fits = fits
    self.play = play
  }
}

/// An operator and one kind of record that it fits.
struct HostileCase: Sendable, CustomTestStringConvertible {
  let lie: Operator
  let record: RecordKind
  let end: Ending

  var testDescription: String { "\(record.rawValue): \(lie.name)" }

  /// A row of docs/hostile-server.md.
  var row: [String] {
    [record.rawValue, lie.name, end.complaint?.description ?? "nothing", end.during.rawValue, end.after.rawValue]
  }
}
