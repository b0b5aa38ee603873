import CloudServer
import GRDB
import Treesystem

/// A program's connection, and the berth that it lies at.
struct Moored<Program: AnyObject> {
  let program: Program
  let berth: Berth
  let connection: OpaquePointer
}

/// Connections whose processes ended in good order, kept for processes to come.
final class Moorings<Program: AnyObject> {
  private var free: [Moored<Program>] = []
  private let limit: Int
  private let connection: (Program) throws -> OpaquePointer?

  init(limit: Int, connection: @escaping (Program) throws -> OpaquePointer?) {
    self.limit = limit
    self.connection = connection
  }

  /// A connection for a process: one that was kept, or else a new one.
  func open(_ machine: Machine, _ process: Int, as make: (Berth) throws -> Program) throws -> Moored<Program> {
    if let moored = free.last {
      machine.writeLock = process
      defer { if machine.writeLock == process { machine.writeLock = nil } }
      do throws(Berth.Refusal) {
        try moored.berth.move(to: machine, process, moored.connection)
        return free.removeLast()
      } catch {
        switch error {
        case .impossible: break
        case .noFile: throw StoreError.notWritable
        case .dead: throw StoreError.disk
        }
      }
    }
    let berth = Berth(machine, process: process)
    let program = try make(berth)
    guard let connection = try connection(program) else { throw StoreError.disk }
    return Moored(program: program, berth: berth, connection: connection)
  }

  /// A process is about to end in good order. What is not kept, SQLite closes when the program lets go of it.
  func close(_ moored: consuming Moored<Program>) {
    let machine = moored.berth.machine
    let process = moored.berth.process
    guard free.count < limit, machine.writeLock == nil else { return }
    machine.writeLock = process
    defer { if machine.writeLock == process { machine.writeLock = nil } }
    if moored.berth.leave(moored.connection) { free.append(moored) }
  }
}

/// The connections of all worlds that a program plays.
final class Connections {
  let profiles: Moorings<Profile>
  let servers: Moorings<SQLiteStorage>

  /// `areKept`: for comparison, everything may be closed as it is outside of simulations.
  init(areKept: Bool = true) {
    profiles = Moorings(limit: areKept ? 6 : 0) { try $0.database.read { $0.db.sqliteConnection } }
    servers = Moorings(limit: areKept ? 1 : 0) { $0.connection() }
  }
}
