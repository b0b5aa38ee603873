/// A file that SQLite has open, for one process of one machine.
final class OpenFile {
  let file: DiskFile
  let machine: Machine
  let process: Int
  /// Nil for a file of SQLite's own that nobody else sees.
  let name: String?
  let isDeletedOnClose: Bool
  /// What SQLite has pointers into until it closes the file, whether or not its process lives.
  var mapped: SharedMemory?

  init(_ file: DiskFile, _ machine: Machine, process: Int, name: String?, isDeletedOnClose: Bool) {
    self.file = file
    self.machine = machine
    self.process = process
    self.name = name
    self.isDeletedOnClose = isDeletedOnClose
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }
  var isAlive: Bool { machine.isAlive(process) }
}

/// Finds the machine that a path belongs to: paths are `/PROCESS/NAME`, so that two processes share the files of one machine.
final class DiskWorld {
  private var machines: [Int: Machine] = [:]
  private var count = 0
  var now: () -> Int64 = { 0 }
  var check: () -> Void = {}

  /// A new process of a machine.
  func start(on machine: Machine) -> Int {
    count += 1
    machines[count] = machine
    machine.start(count)
    return count
  }

  func resolve(_ path: String) -> (machine: Machine, process: Int, name: String)? {
    let parts = path.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let process = Int(parts[0]), let machine = machines[process] else { return nil }
    return (machine, process, String(parts[1]))
  }
}
