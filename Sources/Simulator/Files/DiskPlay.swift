import CloudAPI
import GRDB
import Sealing
import Signing
import TodoCore
import Treesystem

/// Plays what becomes of files on one device's disk, with one thing going wrong at one step of it, and looks afterwards whether something was
/// lost or left behind.
package struct DiskPlay {
  let blank: [String: [UInt8]]

  /// A disk's first state is worked out once.
  package init() throws {
    _ = MemoryVFS.install
    let machine = Machine("template", files: [:], isProfile: false, seed: 0)
    try Self.open(machine, process: 1, at: 0) { _, _ in }
    blank = machine.backup()
  }

  /// How many steps the disk takes where nothing goes wrong.
  package func steps() throws -> Int {
    let machine = Machine("disk", files: blank, isProfile: false, seed: 0)
    var promise = DiskPromise()
    try Self.open(machine, process: 1, at: 0) { database, _ in try DiskStory(database: database).play(&promise) }
    return machine.steps
  }

  /// What is wrong after a fault at this step. Nothing, where all is well.
  package func failures(_ fault: String, at step: Int) throws -> [String] {
    guard let kind = Fault.Kind(rawValue: fault) else { return ["\(fault) is no fault"] }
    let machine = Machine("disk", files: blank, isProfile: false, seed: UInt64(step))
    machine.fault = Fault(kind: kind, steps: step)
    var promise = DiskPromise()
    do {
      try Self.open(machine, process: 1, at: 0) { database, _ in try DiskStory(database: database).play(&promise) }
    } catch is StoreError {
      // What the command would say. What it had said before is promised.
    }
    machine.fault = nil
    machine.end(1)
    return try Self.verdict(on: machine, promise).map { "\(fault) at step \(step): \($0)" }
  }

  /// The faults that there are.
  package static let faults = [Fault.Kind.kill, .powerCut, .full, .syncError].map(\.rawValue)

  /// Looks at the disk a day later, when nobody can be at it any more.
  private static func verdict(on machine: Machine, _ promise: DiskPromise) throws -> [String] {
    var wrong: [String] = []
    try open(machine, process: 2, at: 2 * DiskStore.patience) { database, _ in
      try database.diskStore.sweep()
      try database.read { transaction in
        let rows = try Int64.fetchAll(
          transaction.db, sql: "SELECT id FROM stored_sections WHERE stored > 0 ORDER BY id")
        let known = try Int64.fetchAll(transaction.db, sql: "SELECT id FROM stored_sections")
        let files = SimSections.files(on: machine)
        let leaked = files.filter { !known.contains($0) }
        if !leaked.isEmpty { wrong.append("files without a row: \(leaked)") }
        let missing = rows.filter { !files.contains($0) }
        if !missing.isEmpty { wrong.append("rows without a file: \(missing)") }
        let notes = try Int64.fetchAll(transaction.db, sql: "SELECT id FROM removed_sections")
        if !notes.isEmpty { wrong.append("notes that nobody works off: \(notes)") }
        let nobodys = try Int64.fetchAll(
          transaction.db,
          sql: """
            SELECT id FROM stored_sections s WHERE NOT EXISTS (SELECT 1 FROM node_files f WHERE f.root = s.root)
            """)
        if !nobodys.isEmpty { wrong.append("sections of no node: \(nobodys)") }
      }
      wrong += try promise.broken(in: database)
      let limits = try database.read { try $0.diskLimits() }
      try database.diskStore.makeRoom()
      let pool = try database.read { try $0.size(of: .cache) }
      if pool > limits.pool { wrong.append("\(pool) bytes in a pool of \(limits.pool)") }
    }
    return wrong
  }

  static func open(
    _ machine: Machine, process: Int, at time: Int64, _ body: (CloudDatabase, HandClock) throws -> Void
  ) throws {
    machine.start(process)
    let berth = Berth(machine, process: process)
    let profile = try Profile(berth, app: TodoDelegate())
    let clock = HandClock(time: time)
    profile.clock.clock = clock
    profile.entropy.begin(UInt64(process))
    try body(profile.database, clock)
  }
}

/// What a device was told had been done, so that it has to be true from then on.
struct DiskPromise {
  /// Files that were given to a node and that no server has.
  var kept: [NodeID: UInt8] = [:]
  /// Files that a server has: here or not, but never others.
  var settled: [NodeID: UInt8] = [:]

  func broken(in database: CloudDatabase) throws -> [String] {
    var wrong: [String] = []
    for (node, pattern) in kept.merging(settled, uniquingKeysWith: { first, _ in first }).sorted(by: { $0.key < $1.key }
    ) {
      let isKept = kept[node] != nil
      guard let file = try database.read({ try $0.file(of: node) }) else {
        wrong.append("node \(node.rawValue) has lost its file")
        continue
      }
      var sink = MemorySink()
      let isWhole = try database.diskStore.data(of: file, into: &sink)
      if isKept, !isWhole { wrong.append("the data of node \(node.rawValue) is lost") }
      if isWhole, sink.bytes != DiskStory.bytes(pattern) {
        wrong.append("the data of node \(node.rawValue) is another")
      }
      let thumbnail = try database.diskStore.section(.thumbnail, of: file)
      if isKept, thumbnail == nil { wrong.append("the thumbnail of node \(node.rawValue) is lost") }
      if let thumbnail, thumbnail != DiskStory.thumbnail(pattern) {
        wrong.append("the thumbnail of node \(node.rawValue) is another")
      }
    }
    return wrong
  }
}

/// A clock of which only the play turns the hands.
final class HandClock: WallClock, @unchecked Sendable {
  var time: Int64
  init(time: Int64) { self.time = time }
  func now() -> Int64 { time }
  func sleep(_ milliseconds: Int64) async throws { time += milliseconds }
}
