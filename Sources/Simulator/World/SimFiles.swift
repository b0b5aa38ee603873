import Treesystem

/// The locks of a simulated profile, for one process.
struct SimFiles: ProfileFiles, @unchecked Sendable {
  let berth: Berth

  private var machine: Machine { berth.machine }
  private var process: Int { berth.process }

  func makeDatabase() {}

  func holdingWriteLock<Result>(_ body: () throws -> Result) throws -> Result {
    guard machine.isAlive(process) else { throw StoreError.disk }
    guard machine.writeLock == nil else { throw StoreError.busy }
    machine.writeLock = process
    defer { if machine.writeLock == process { machine.writeLock = nil } }
    return try body()
  }

  func takeSyncLock() -> Bool {
    // A dead process waits for nobody.
    guard machine.isAlive(process) else { return true }
    guard machine.syncLock == nil else { return false }
    machine.syncLock = process
    return true
  }

  func releaseSyncLock() {
    if machine.syncLock == process { machine.syncLock = nil }
  }

  func takeTransferLock() -> Bool {
    guard machine.isAlive(process) else { return true }
    guard machine.transferLock == nil else { return false }
    machine.transferLock = process
    return true
  }

  func releaseTransferLock() {
    if machine.transferLock == process { machine.transferLock = nil }
  }

  var sections: any SectionFolder { SimSections(berth: berth) }
}
