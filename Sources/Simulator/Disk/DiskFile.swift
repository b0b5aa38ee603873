import Foundation

/// A file as the processes of a machine see it, and what of it a power cut would leave.
final class DiskFile {
  /// A change that no sync has covered yet: enough to undo it, and to do it again in part.
  private enum Change {
    case write(offset: Int, old: [UInt8], oldSize: Int, new: [UInt8])
    case shrink(to: Int, old: [UInt8])
  }

  /// Of what a disk writes whole or not at all.
  static let sector = 512

  private(set) var bytes: [UInt8]
  /// Whether the file itself would survive a power cut.
  private(set) var isDurable: Bool
  private var unsynced: [Change] = []
  /// SQLite's locks on it, by open handle.
  var locks: [ObjectIdentifier: Int32] = [:]
  var memory: SharedMemory?

  init(bytes: [UInt8] = [], isDurable: Bool = false) {
    self.bytes = bytes
    self.isDurable = isDurable
  }

  /// Returns how many bytes were there.
  func read(_ target: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
    let count = min(max(0, bytes.count - offset), target.count)
    if count > 0 {
      bytes.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count])) }
    }
    for index in count..<target.count { target[index] = 0 }
    return count
  }

  func write(_ source: UnsafeRawBufferPointer, at offset: Int) {
    let end = min(bytes.count, offset + source.count)
    let old = offset < end ? Array(bytes[offset..<end]) : []
    unsynced.append(.write(offset: offset, old: old, oldSize: bytes.count, new: Array(source)))
    put(source, at: offset)
  }

  func truncate(to size: Int) {
    guard size < bytes.count else { return }
    unsynced.append(.shrink(to: size, old: Array(bytes[size...])))
    bytes.removeLast(bytes.count - size)
  }

  func sync() {
    unsynced.removeAll(keepingCapacity: true)
    isDurable = true
  }

  /// What was not synced is lost wholly, partly, or kept, sector by sector. Returns false where the file itself is gone.
  func losePower(_ dice: inout Dice) -> Bool {
    let changes = unsynced
    unsynced = []
    for change in changes.reversed() { undo(change) }
    let mood = dice.roll(3)
    for change in changes where mood > 0 { redo(change, mood == 2 ? 500 : 1000, &dice) }
    locks = [:]
    memory = nil
    if isDurable { return true }
    isDurable = dice.chance(500)
    return isDurable
  }

  private func undo(_ change: Change) {
    switch change {
    case .write(let offset, let old, let oldSize, _):
      if bytes.count > oldSize { bytes.removeLast(bytes.count - oldSize) }
      old.withUnsafeBytes { put($0, at: offset) }
    case .shrink(_, let old): bytes += old
    }
  }

  private func redo(_ change: Change, _ perMille: Int, _ dice: inout Dice) {
    switch change {
    case .shrink(let size, _): if dice.chance(perMille), size < bytes.count { bytes.removeLast(bytes.count - size) }
    case .write(let offset, _, _, let new):
      var start = 0
      while start < new.count {
        let end = min(new.count, (offset + start) / Self.sector * Self.sector + Self.sector - offset)
        // Of a torn sector only the beginning is written.
        let kept = dice.chance(perMille) ? end : dice.chance(200) ? start + dice.roll(end - start) : start
        if kept > start { Array(new[start..<kept]).withUnsafeBytes { put($0, at: offset + start) } }
        start = end
      }
    }
  }

  private func put(_ source: UnsafeRawBufferPointer, at offset: Int) {
    guard !source.isEmpty else { return }
    if bytes.count < offset + source.count {
      bytes.append(contentsOf: repeatElement(0, count: offset + source.count - bytes.count))
    }
    bytes.withUnsafeMutableBytes {
      UnsafeMutableRawBufferPointer(rebasing: $0[offset..<offset + source.count]).copyMemory(from: source)
    }
  }
}

/// The index of a write-ahead log, which the processes that have a database open share.
final class SharedMemory {
  static let locks = 8
  private var regions: [UnsafeMutableRawPointer] = []
  private var sizes: [Int] = []
  /// Who holds each lock: exclusively, or shared.
  private var exclusive = [ObjectIdentifier?](repeating: nil, count: locks)
  private var shared = [Set<ObjectIdentifier>](repeating: [], count: locks)
  var users: Set<ObjectIdentifier> = []

  deinit { for region in regions { region.deallocate() } }

  func region(_ index: Int, size: Int, extend: Bool) -> UnsafeMutableRawPointer? {
    while regions.count <= index {
      guard extend else { return nil }
      let region = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
      region.initializeMemory(as: UInt8.self, repeating: 0, count: size)
      regions.append(region)
      sizes.append(size)
    }
    return regions[index]
  }

  /// Whether the locks could be taken.
  func take(_ range: Range<Int>, exclusively: Bool, for user: ObjectIdentifier) -> Bool {
    for lock in range {
      if let holder = exclusive[lock], holder != user { return false }
      if exclusively, !shared[lock].subtracting([user]).isEmpty { return false }
    }
    for lock in range {
      if exclusively { exclusive[lock] = user } else { shared[lock].insert(user) }
    }
    return true
  }

  func release(_ range: Range<Int>, for user: ObjectIdentifier) {
    for lock in range {
      if exclusive[lock] == user { exclusive[lock] = nil }
      shared[lock].remove(user)
    }
  }

  func forget(_ user: ObjectIdentifier) {
    release(0..<Self.locks, for: user)
    users.remove(user)
  }
}
