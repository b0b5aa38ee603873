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
      try await fetches.run(SectionName(content: file.content, section: section)) { told in
        try await self.fetch(section, of: file, at: place, self.connection(), told)
      } watching: { done, total in
        watcher?(TransferProgress(.down, done: done, total: total))
      }
    }
  }

  /// Fetches one section, from where it stopped.
  func fetch(
    _ section: FileSection, of file: NodeFile, at node: Node, _ connection: CloudConnection,
    _ progress: (UInt64, UInt64) -> Void
  ) async throws {
    let range = file.layout.range(of: section)
    guard !range.isEmpty, let branch = try database.read({ try $0.cloudID(of: node.branch) }) else { return }
    let store = database.diskStore
    let done = try store.begin(section, of: file)
    guard done < UInt64(range.count) else { return }
    progress(done, UInt64(range.count))
    guard section == .data else {
      let bytes = try await connection.bytes(range, of: file.content, in: branch)
      try store.receive(bytes, section, of: file)
      return progress(UInt64(range.count), UInt64(range.count))
    }
    let leaves = try await leaves(of: file, in: branch, connection)
    // Another process may be fetching it too: each goes on where both are.
    while case let done = try store.begin(.data, of: file), done < UInt64(range.count) {
      try Task.checkCancellation()
      let first = done / FileChunk.sealedLeafSize
      let end = min(first + FileParts.leaves, file.layout.leafCount)
      let wanted =
        file.layout.range(of: FileLeaf(.data, first))
        .lowerBound..<file.layout.range(of: FileLeaf(.data, end - 1)).upperBound
      let bytes = try await connection.bytes(wanted, of: file.content, in: branch)
      for leaf in first..<end {
        let place = file.layout.range(of: FileLeaf(.data, leaf))
        let local = Int(place.lowerBound - wanted.lowerBound)..<Int(place.upperBound - wanted.lowerBound)
        try store.receive(Array(bytes[local]), leaf: leaf, leaves, of: file)
      }
      progress(wanted.upperBound - range.lowerBound, UInt64(range.count))
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

/// What is fetched at once.
struct SectionName: Hashable, Sendable {
  let content: ContentID
  let section: FileSection
}
