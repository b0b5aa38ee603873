import Foundation

/// What is to go wrong on a machine, and after how many steps of its disk.
struct Fault {
  enum Kind: String {
    /// One process ends. What it wrote is there, synced or not.
    case kill
    /// Every process ends, and what was not synced is lost in part.
    case powerCut
    /// Writes fail for want of room, for a while.
    case full
    /// One sync fails.
    case syncError
  }

  let kind: Kind
  var steps: Int
  /// How many writes fail on a full disk.
  var length = 1
}

/// A computer with a disk, on which processes live and die.
final class Machine {
  enum Step {
    case write
    case sync
    case other
  }

  enum Verdict {
    case proceed
    case full
    case error
    case dead
  }

  let name: String
  private(set) var files: [String: DiskFile] = [:]
  /// Deleted without a sync of the folder: a power cut may bring them back.
  private var ghosts: [String: DiskFile] = [:]
  private var alive: Set<Int> = []
  private var handles: [ObjectIdentifier: OpenFile] = [:]
  var fault: Fault?
  /// The processes that hold the profile's locks.
  var writeLock: Int?
  var syncLock: Int?
  var transferLock: Int?
  /// Whether what changes files has to hold the write lock.
  let isProfile: Bool
  /// Hears of processes that ended by a fault, and of writes without the lock.
  var onCrash: (Fault.Kind) -> Void = { _ in }
  var onViolation: (String) -> Void = { _ in }
  var steps = 0
  private var dice: Dice

  init(_ name: String, files: [String: [UInt8]], isProfile: Bool, seed: UInt64) {
    self.name = name
    self.isProfile = isProfile
    dice = Dice(seed)
    self.files = files.mapValues { DiskFile(bytes: $0, isDurable: true) }
  }

  func start(_ process: Int) { alive.insert(process) }
  func isAlive(_ process: Int) -> Bool { alive.contains(process) }

  /// What a process may do next, if it lives.
  func step(_ kind: Step, by process: Int, on file: String?) -> Verdict {
    guard isAlive(process) else { return .dead }
    steps += 1
    if isProfile, let file, writeLock != process { onViolation("\(name): \(file) was changed without the write lock") }
    guard var fault else { return .proceed }
    switch fault.kind {
    case .full where kind != .write, .syncError where kind != .sync: return .proceed
    default: break
    }
    fault.steps -= 1
    self.fault = fault
    guard fault.steps <= 0 else { return .proceed }
    return strike(fault, process)
  }

  private func strike(_ fault: Fault, _ process: Int) -> Verdict {
    switch fault.kind {
    case .kill:
      let isDone = dice.chance(500)
      kill(process)
      return isDone ? .proceed : .dead
    case .powerCut:
      cutPower()
      return .dead
    case .full:
      self.fault = fault.length > 1 ? Fault(kind: .full, steps: 1, length: fault.length - 1) : nil
      return .full
    case .syncError:
      self.fault = nil
      return .error
    }
  }

  /// A process ends at once; the kernel lets go of what it held.
  func kill(_ process: Int) {
    fault = nil
    end(process)
    onCrash(.kill)
  }

  /// A process is over, and what it held is free.
  func end(_ process: Int) {
    alive.remove(process)
    if writeLock == process { writeLock = nil }
    if syncLock == process { syncLock = nil }
    if transferLock == process { transferLock = nil }
    forget(handles.values.filter { $0.process == process })
  }

  /// Nobody has these open any more.
  func forget(_ files: [OpenFile]) {
    for handle in files {
      handle.file.locks[handle.id] = nil
      handle.file.memory?.forget(handle.id)
      if handle.file.memory?.users.isEmpty == true { handle.file.memory = nil }
      handles[handle.id] = nil
    }
  }

  func cutPower() {
    fault = nil
    for process in alive { end(process) }
    for name in files.keys.sorted() where files[name]?.losePower(&dice) == false { files[name] = nil }
    for (name, ghost) in ghosts.sorted(by: { $0.key < $1.key }) where files[name] == nil && dice.chance(500) {
      files[name] = ghost
    }
    ghosts = [:]
    onCrash(.powerCut)
  }

  func file(_ name: String) -> DiskFile? { files[name] }

  func makeFile(_ name: String) -> DiskFile {
    if let file = files[name] { return file }
    let file = DiskFile()
    files[name] = file
    return file
  }

  func deleteFile(_ name: String, isSynced: Bool) {
    if let file = files.removeValue(forKey: name), file.isDurable, !isSynced { ghosts[name] = file }
    if isSynced { ghosts = [:] }
  }

  /// The folder is synced: what was deleted stays deleted.
  func keepRemovals() { ghosts = [:] }

  func opened(_ handle: OpenFile) { handles[ObjectIdentifier(handle)] = handle }
  func closed(_ handle: OpenFile) { handles[ObjectIdentifier(handle)] = nil }

  /// The files as a backup would have them, between two steps.
  func backup() -> [String: [UInt8]] { files.mapValues(\.bytes) }

  /// Puts a backup in place of everything. No process may live.
  func restore(_ backup: [String: [UInt8]]) {
    files = backup.mapValues { DiskFile(bytes: $0, isDurable: true) }
    ghosts = [:]
  }
}
