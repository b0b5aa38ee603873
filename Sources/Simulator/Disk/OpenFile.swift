/// A file that SQLite has open, for one process of one machine.
final class OpenFile {
  let file: DiskFile
  let berth: Berth
  /// Nil for a file of SQLite's own that nobody else sees.
  let name: String?
  /// What SQLite has pointers into until it closes the file, whether or not its process lives.
  var mapped: SharedMemory?

  init(_ file: DiskFile, _ berth: Berth, name: String?) {
    self.file = file
    self.berth = berth
    self.name = name
  }

  var id: ObjectIdentifier { ObjectIdentifier(self) }
  var machine: Machine { berth.machine }
  var process: Int { berth.process }
  var isAlive: Bool { machine.isAlive(process) }
}

/// What all disks of the present world share.
final class DiskWorld {
  private var count = 0
  var now: () -> Int64 = { 0 }
  var check: () -> Void = {}

  /// A new process of a machine.
  func start(on machine: Machine) -> Int {
    count += 1
    machine.start(count)
    return count
  }
}
