import CloudAPI
import Foundation
import Sealing
import Signing

extension SyncEngine {
  /// Has sections of a node's file here, from this disk or from the server. Whoever asks for what somebody else is fetching already waits for that one.
  /// Throws `CloudFailure`, and a `FileFault` for what is not what its author signed; what came before stays, and the next call goes on from there.
  public func fetchFile(
    _ components: NodeComponents, of node: NodeID, _ watcher: TransferWatcher? = nil
  ) async throws {
    guard
      let (place, file) = try database.read({ transaction in
        try transaction.node(node).flatMap { node in try transaction.file(of: node.id).map { (node, $0) } }
      })
    else { throw TreeError.noSuchNode }
    for section in components.sections {
      guard try !database.read({ try $0.isHere(section, of: file) }) else { continue }
      try await fetchSection(section, of: file, at: place, connection()) { done, total in
        watcher?(TransferProgress(.down, done: done, total: total))
      }
    }
  }

  /// Has one section here. Whoever wants it at the same time waits for the same fetch.
  func fetchSection(
    _ section: FileSection, of file: NodeFile, at node: Node, _ connection: CloudConnection,
    watching watcher: @escaping @Sendable (UInt64, UInt64) -> Void
  ) async throws {
    let name = SectionName(root: file.root, section: section)
    let total = UInt64(file.layout.range(of: section).count)
    try await fetches.run(name) { [database] told in
      try await database.fetching(name) {
        let done = try database.read { try $0.storedSection(section, of: file) }?.stored ?? 0
        told(done, total)
        return done
      } _: {
        try await self.fetch(section, of: file, at: node, connection, told)
      }
    } watching: {
      watcher($0, $1)
    }
  }

  /// Fetches one section from where the server has it.
  private func fetch(
    _ section: FileSection, of file: NodeFile, at node: Node, _ connection: CloudConnection,
    _ progress: (UInt64, UInt64) -> Void
  ) async throws {
    let places = try database.read { try $0.places(ofFileAt: node) }
    for place in places.dropLast() {
      do {
        return try await fetch(section, of: file, in: place, connection, progress)
      } catch CloudFailure.refused(.notFound) {
        // What was just read lies in the inbox until the next sync.
      }
    }
    if let last = places.last { try await fetch(section, of: file, in: last, connection, progress) }
  }

  /// Fetches one section, from where it stopped.
  private func fetch(
    _ section: FileSection, of file: NodeFile, in branch: CloudID, _ connection: CloudConnection,
    _ progress: (UInt64, UInt64) -> Void
  ) async throws {
    let range = file.layout.range(of: section)
    guard !range.isEmpty else { return }
    let store = database.diskStore
    let done = try store.begin(section, of: file)
    guard done < UInt64(range.count) else { return }
    progress(done, UInt64(range.count))
    guard section == .data else {
      var bytes: [UInt8] = []
      for try await more in try await connection.contentRange(range, of: file.content, in: branch, over: transport) {
        bytes += more
      }
      try store.receive(bytes, section, of: file)
      return progress(UInt64(range.count), UInt64(range.count))
    }
    let leaves = try await leaves(of: file, in: branch, connection)
    // Another process may be fetching it too, if it was thought to have stopped: each goes on where both are.
    var before: UInt64?
    while case let done = try store.begin(.data, of: file, leaves), done < UInt64(range.count) {
      try Task.checkCancellation()
      guard before.map({ done > $0 }) ?? true else { throw StoreError.disk }
      before = done
      let first = done / FileChunk.sealedLeafSize
      let wanted = first..<min(first + FileParts.leaves, file.layout.leafCount)
      try await fetch(wanted, leaves, of: file, in: branch, connection) { progress($0, UInt64(range.count)) }
    }
  }

  /// Fetches some leaves of the data. Each is kept when it is there as a whole, however slowly the next one comes.
  private func fetch(
    _ wanted: Range<UInt64>, _ leaves: FileLeaves, of file: NodeFile, in branch: CloudID, _ connection: CloudConnection,
    _ progress: (UInt64) -> Void
  ) async throws {
    func place(_ leaf: UInt64) -> Range<UInt64> { file.layout.range(of: FileLeaf(.data, leaf)) }
    let range = place(wanted.lowerBound).lowerBound..<place(wanted.upperBound - 1).upperBound
    var next = wanted.lowerBound
    var bytes: [UInt8] = []
    for try await more in try await connection.contentRange(range, of: file.content, in: branch, over: transport) {
      bytes += more
      while next < wanted.upperBound, bytes.count >= place(next).count {
        try database.diskStore.receive(Array(bytes.prefix(place(next).count)), leaf: next, leaves, of: file)
        bytes.removeFirst(place(next).count)
        progress(place(next).upperBound - file.layout.range(of: .data).lowerBound)
        next += 1
      }
    }
  }

  /// The hashes of the data's leaves: of one leaf the key tells it, and those that are here already were believed.
  private func leaves(of file: NodeFile, in branch: CloudID, _ connection: CloudConnection) async throws -> FileLeaves {
    let opener = try file.opener()
    guard opener.needsLeaves else { return try opener.soleLeaf() }
    let store = database.diskStore
    if let kept = try store.keptLeaves(of: file) { return kept }
    var hashes: [Hash32] = []
    while UInt64(hashes.count) < file.layout.leafCount {
      let more = try await connection.leaves(of: file.content, in: branch, from: UInt64(hashes.count))
      guard !more.isEmpty else { throw FileFault.contentMissing }
      hashes += more
    }
    return try store.receive(leaves: hashes.flatMap(\.bytes), of: file)
  }
}

extension CloudTransaction {
  /// The branches in which a node may list its file: its own, and the one that what it holds was taken out of.
  fileprivate func places(ofFileAt node: Node) throws -> [CloudID] {
    let here = try cloudID(of: node.branch)
    let origin = try origin(of: node.id)?.header.branch
    return [here, origin == here ? nil : origin].compactMap { $0 }
  }
}

/// What is fetched at once.
package struct SectionName: Hashable, Sendable {
  let root: Hash32
  let section: FileSection
}
