import CloudAPI
import GRDB
package import Sealing
package import Signing

extension DiskStore {
  /// Where to go on with a section that is being fetched: how many bytes of it are here.
  package func begin(_ section: FileSection, of file: NodeFile, _ mode: StorageMode = .cache) throws -> UInt64 {
    try database.write {
      try $0.beginSection(section, of: file.content, length: UInt64(file.layout.range(of: section).count), mode).stored
    }
  }

  /// Takes a whole metadata or thumbnail from the server. Nothing is kept that does not open.
  package func receive(_ bytes: [UInt8], _ section: FileSection, of file: NodeFile) throws {
    let opener = try file.opener()
    _ = section == .metadata ? try opener.metadata(bytes) : try opener.thumbnail(bytes)
    try append(bytes, at: 0, section, of: file)
    try makeRoom(sparing: file.content)
  }

  /// Believes the hashes of the data's leaves, and keeps them for as long as the data lies here.
  package func receive(leaves bytes: [UInt8], of file: NodeFile) throws -> FileLeaves {
    let leaves = try file.opener().leaves(bytes)
    try database.write {
      try $0.db.execute(
        sql: "UPDATE stored_sections SET leaves = ? WHERE content = ? AND section = ?",
        arguments: [CloudAPI.data(bytes), file.content, FileSection.data.rawValue])
    }
    return leaves
  }

  /// The hashes that were believed, as long as the data, or a part of it, lies here.
  func keptLeaves(of file: NodeFile) throws -> FileLeaves? {
    guard let kept = try database.read({ try $0.storedSection(.data, of: file.content) })?.leaves, !kept.isEmpty else {
      return nil
    }
    return try? file.opener().leaves(kept)
  }

  /// Takes the next leaf of the data from the server. Nothing is kept that does not open.
  package func receive(_ bytes: [UInt8], leaf index: UInt64, _ leaves: FileLeaves, of file: NodeFile) throws {
    _ = try file.opener().data(bytes, leaf: index, leaves)
    try append(bytes, at: index * FileChunk.sealedLeafSize, .data, of: file)
    if index == file.layout.leafCount - 1 { try makeRoom(sparing: file.content) }
  }

  private func append(_ bytes: [UInt8], at offset: UInt64, _ section: FileSection, of file: NodeFile) throws {
    let stored = try database.write {
      try $0.beginSection(section, of: file.content, length: UInt64(file.layout.range(of: section).count), .cache)
    }
    // What is there already was checked: another process may be fetching it as well.
    guard offset == stored.stored else { return }
    try folder.write(bytes, to: stored.id, at: offset)
    try folder.keep(stored.id)
    try database.write { try $0.advance(stored, to: offset + UInt64(bytes.count)) }
  }
}
