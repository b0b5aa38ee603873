import GRDBSQLite

/// Where a connection to a database lies: paths are `/NUMBER/NAME`, and the number stands for a process of a machine.
///
/// When a process ended in good order, its connection may move to the files of another one, so that the statements it has
/// prepared are not prepared again. What is on the disks, and at which step, is then the same as if SQLite had closed and
/// opened them: that every seed gives the same history without it is shown by `--fresh-connections`.
final class Berth {
  private static let log = "-wal"
  nonisolated(unsafe) private static let nowhere = Machine("nowhere", files: [:], isProfile: false, seed: 0)
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var all: [Int: Weak<Berth>] = [:]

  let number: Int
  private(set) var machine: Machine
  private(set) var process: Int
  private var files: [OpenFile] = []

  init(_ machine: Machine, process: Int) {
    Self.count += 1
    number = Self.count
    self.machine = machine
    self.process = process
    Self.all[number] = Weak(self)
  }

  deinit { Self.all[number] = nil }

  /// Finds the berth that a path belongs to.
  static func resolve(_ path: String) -> (berth: Berth, name: String)? {
    let parts = path.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let number = Int(parts[0]), let berth = all[number]?.value else { return nil }
    return (berth, String(parts[1]))
  }

  func opened(_ file: OpenFile) {
    files.append(file)
    machine.opened(file)
  }

  func closed(_ file: OpenFile) {
    files.removeAll { $0 === file }
    machine.closed(file)
  }

  /// The database and its log, where SQLite has these open and nothing else.
  private var pair: (main: OpenFile, log: OpenFile)? {
    guard files.count == 2, let log = files.first(where: { $0.name?.hasSuffix(Self.log) == true }),
      let main = files.first(where: { $0 !== log })
    else { return nil }
    return (main, log)
  }

  /// Does to the files what SQLite does when it closes them for the last process that has them open: everything goes from the
  /// log into the database, and the log is deleted. Returns false where the connection has to be closed by SQLite itself.
  func leave(_ connection: OpaquePointer) -> Bool {
    guard machine.isAlive(process), let (main, log) = pair, let name = log.name, main.file.locks.count == 1,
      sqlite3_get_autocommit(connection) != 0
    else { return false }
    let isClean =
      sqlite3_wal_checkpoint_v2(connection, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil) == SQLITE_OK
      && machine.step(.other, by: process, on: name) == .proceed
    if isClean { machine.deleteFile(name, isSynced: false) }
    let isAlive = machine.isAlive(process)
    machine.forget([main, log])
    (machine, process) = (Self.nowhere, 0)
    return isClean && isAlive
  }

  enum Refusal: Error {
    /// Another process has the files open, or there is nothing to open.
    case impossible
    case noFile
    case dead
  }

  /// Goes to the files of another process, with the steps that opening them takes.
  func move(to machine: Machine, _ process: Int, _ connection: OpaquePointer) throws(Refusal) {
    guard let (main, log) = pair, let mainName = main.name, let logName = log.name, let file = machine.file(mainName),
      file.locks.isEmpty, file.memory == nil
    else { throw .impossible }
    if machine.file(logName) == nil {
      guard machine.step(.other, by: process, on: logName) == .proceed else { throw .noFile }
    }
    let logFile = machine.makeFile(logName)
    guard machine.isAlive(process) else { throw .dead }
    (self.machine, self.process) = (machine, process)
    (main.file, log.file) = (file, logFile)
    for file in files { machine.opened(file) }
    // In WAL mode SQLite keeps this lock as long as it has the file open.
    file.locks[main.id] = SQLITE_LOCK_SHARED
    file.memory = main.mapped
    main.mapped?.clear(for: main.id)
    sqlite3_file_control(connection, nil, SQLITE_FCNTL_RESET_CACHE, nil)
  }
}
