import Treesystem

/// The sections of a simulated profile's files, on the disk that its process shares with others.
struct SimSections: SectionFolder, @unchecked Sendable {
  private static let prefix = "section-"
  let berth: Berth

  private var machine: Machine { berth.machine }

  func write(_ bytes: [UInt8], to file: Int64, at offset: UInt64) throws {
    try step(.write)
    bytes.withUnsafeBytes { machine.makeFile(name(file)).write($0, at: Int(offset)) }
  }

  func keep(_ file: Int64) throws {
    try step(.sync)
    guard let file = machine.file(name(file)) else { throw StoreError.disk }
    file.sync()
  }

  func read(_ range: Range<UInt64>, of file: Int64) throws -> [UInt8] {
    try step(.other)
    guard let bytes = machine.file(name(file))?.bytes else { return [] }
    return Array(bytes.dropFirst(Int(range.lowerBound)).prefix(range.count))
  }

  func remove(_ file: Int64) throws {
    try step(.other)
    machine.deleteFile(name(file), isSynced: false)
  }

  func keepRemovals() throws {
    try step(.sync)
    machine.keepRemovals()
  }

  func files() throws -> [Int64] {
    try step(.other)
    return Self.files(on: machine)
  }

  /// The files that lie there, durable or not.
  static func files(on machine: Machine) -> [Int64] {
    machine.files.keys.filter { $0.hasPrefix(prefix) }.compactMap { Int64($0.dropFirst(prefix.count)) }.sorted()
  }

  static func size(of file: Int64, on machine: Machine) -> Int? { machine.file("\(prefix)\(file)")?.bytes.count }

  private func name(_ file: Int64) -> String { "\(Self.prefix)\(file)" }

  private func step(_ kind: Machine.Step) throws {
    switch machine.step(kind, by: berth.process, on: nil) {
    case .proceed: return
    case .full: throw StoreError.diskFull
    case .error, .dead: throw StoreError.disk
    }
  }
}
