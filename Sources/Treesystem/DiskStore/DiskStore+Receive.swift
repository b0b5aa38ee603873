import CloudAPI
import GRDB
package import Sealing
package import Signing

extension DiskStore {
  /// Where to go on with a section that is being fetched: how many bytes of it are here. Throws `TreeError.noSuchNode` where no node has the file.
  /// - Parameter leaves: of the data, for whoever goes on with it, or reads it.
  package func begin(_ section: FileSection, of file: NodeFile, _ leaves: FileLeaves? = nil) throws -> UInt64 {
    try database.write { transaction in
      let begun = try transaction.beginSection(section, of: file)
      if let leaves, begun.leaves.isEmpty {
        try transaction.db.execute(
          sql: "UPDATE stored_sections SET leaves = ? WHERE id = ?", arguments: [CloudAPI.data(leaves.bytes), begun.id])
      }
      return begun.stored
    }
  }

  /// Takes a whole metadata or thumbnail from the server. Nothing is kept that does not open.
  package func receive(_ bytes: [UInt8], _ section: FileSection, of file: NodeFile) throws {
    let opener = try file.opener()
    _ = section == .metadata ? try opener.metadata(bytes) : try opener.thumbnail(bytes)
    try append(bytes, at: 0, section, of: file)
    try makeRoom(sparing: file.root)
  }

  /// Believes the hashes of the data's leaves, and keeps them for as long as the data lies here.
  package func receive(leaves bytes: [UInt8], of file: NodeFile) throws -> FileLeaves {
    let leaves = try file.opener().leaves(bytes)
    _ = try begin(.data, of: file, leaves)
    return leaves
  }

  /// The hashes that were believed, as long as the data, or a part of it, lies here.
  func keptLeaves(of file: NodeFile) throws -> FileLeaves? {
    guard let kept = try database.read({ try $0.storedSection(.data, of: file) })?.leaves, !kept.isEmpty else {
      return nil
    }
    return try? file.opener().leaves(kept)
  }

  /// Takes the next leaf of the data from the server. Nothing is kept that does not open.
  package func receive(_ bytes: [UInt8], leaf index: UInt64, _ leaves: FileLeaves, of file: NodeFile) throws {
    _ = try file.opener().data(bytes, leaf: index, leaves)
    try append(bytes, at: index * FileChunk.sealedLeafSize, .data, of: file)
    if index == file.layout.leafCount - 1 { try makeRoom(sparing: file.root) }
  }

  private func append(_ bytes: [UInt8], at offset: UInt64, _ section: FileSection, of file: NodeFile) throws {
    // What is there already was checked: another process may be fetching it as well. What has gone is nobody's any more.
    guard let stored = try database.read({ try $0.storedSection(section, of: file) }), offset == stored.stored else {
      return
    }
    do {
      try folder.write(bytes, to: stored.id, at: offset)
      try folder.keep(stored.id)
    } catch {
      // Its file may have gone under our hands, with its section.
      guard try database.read({ try $0.storedSection(section, of: file)?.id }) != stored.id else { throw error }
    }
    try database.write { try $0.advance(stored, to: offset + UInt64(bytes.count)) }
  }
}
