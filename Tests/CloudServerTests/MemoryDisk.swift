import CloudServer
import Foundation

/// A disk in memory that fails at one of its steps, and forgets at a power cut what was not synced.
final class MemoryDisk: BlobDisk, @unchecked Sendable {
  enum Fault: CaseIterable {
    /// One step fails, and nothing else.
    case error
    /// There is no room for one step.
    case full
    /// The server dies before the step.
    case killedBefore
    /// The server dies after the step.
    case killedAfter
    /// The power goes before the step: nothing stays that was not synced.
    case cut
    /// The same, but names stay, and bytes do not.
    case cutKeepingNames
  }

  fileprivate final class Node {
    var bytes: [UInt8] = []
    var synced: [UInt8] = []
  }

  private var files: [String: Node] = [:]
  private var folders: Set<String> = []
  private var durableFiles: [String: Node] = [:]
  private var durableFolders: Set<String> = []
  private var fault: (kind: Fault, step: Int)?
  private(set) var steps = 0
  private(set) var isDead = false

  /// Lets the `number`th step from the beginning fail.
  func fail(_ kind: Fault, at number: Int) { fault = (kind, number) }

  /// The machine is there again.
  func restart() { isDead = false }

  /// All files, whatever their names are.
  var paths: [String] { files.keys.sorted() }

  /// Runs a step, unless it is the one that fails.
  fileprivate func step<T>(_ body: () throws -> T) throws -> T {
    guard !isDead else { throw StorageFailure.disk(code: EIO) }
    steps += 1
    guard let fault, steps == fault.step else { return try body() }
    self.fault = nil
    switch fault.kind {
    case .error: throw StorageFailure.disk(code: EIO)
    case .full: throw StorageFailure.full
    case .killedBefore: break
    case .killedAfter: _ = try? body()
    case .cut: losePower(keepingNames: false)
    case .cutKeepingNames: losePower(keepingNames: true)
    }
    isDead = true
    throw StorageFailure.disk(code: EIO)
  }

  private func losePower(keepingNames: Bool) {
    if !keepingNames { (files, folders) = (durableFiles, durableFolders) }
    for node in files.values { node.bytes = node.synced }
    (durableFiles, durableFolders) = (files, folders)
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  func makeFolder(_ path: String) throws { try step { _ = folders.insert(path) } }

  func create(_ path: String) throws -> any BlobFile {
    try step {
      guard files[path] == nil, folders.contains(Self.folder(of: path)) else { throw StorageFailure.disk(code: EEXIST) }
      let node = Node()
      files[path] = node
      return File(disk: self, node: node)
    }
  }

  func syncFolder(_ path: String) throws {
    try step {
      durableFiles = durableFiles.filter { Self.folder(of: $0.key) != path }
      for (name, node) in files where Self.folder(of: name) == path { durableFiles[name] = node }
      durableFolders = durableFolders.filter { Self.folder(of: $0) != path || $0.isEmpty }
      durableFolders.formUnion(folders.filter { Self.folder(of: $0) == path })
      // What is in a folder that is not there is not there either.
      durableFiles = durableFiles.filter { durableFolders.contains(Self.folder(of: $0.key)) }
    }
  }

  func rename(_ path: String, to name: String) throws {
    try step {
      guard let node = files.removeValue(forKey: path), folders.contains(Self.folder(of: name)) else {
        throw StorageFailure.damaged
      }
      files[name] = node
    }
  }

  func remove(_ path: String) throws { try step { files[path] = nil } }

  func removeFolder(_ path: String) throws {
    try step {
      guard !files.keys.contains(where: { Self.folder(of: $0) == path }) else {
        throw StorageFailure.disk(code: ENOTEMPTY)
      }
      folders.remove(path)
    }
  }

  func names(in path: String) throws -> [String] {
    try step {
      (Array(files.keys) + Array(folders)).filter { Self.folder(of: $0) == path && $0 != path }
        .map { path.isEmpty ? $0 : String($0.dropFirst(path.count + 1)) }
    }
  }

  func read(_ path: String, _ range: Range<UInt64>) throws -> [UInt8] {
    try step {
      guard let bytes = files[path]?.bytes, range.upperBound <= UInt64(bytes.count) else {
        throw StorageFailure.damaged
      }
      return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
    }
  }

  private struct File: BlobFile {
    let disk: MemoryDisk
    let node: Node

    func write(_ bytes: [UInt8]) throws { try disk.step { node.bytes += bytes } }
    func sync() throws { try disk.step { node.synced = node.bytes } }
    func close() {}
  }
}
