import CloudAPI
import Sealing
import Signing

/// Reads a sealed file from this disk, part by part, for its upload. Nothing goes out that is not what was sealed: what a server has once is never
/// taken in place of it.
package struct SealedParts {
  private let parts: FileParts
  private let opener: FileOpener
  private let header: [UInt8]
  private let folder: any SectionFolder
  private var sections: [FileSection: StoredSection] = [:]
  private let leaves: FileLeaves

  /// Throws `FileFault.contentMissing` where not all of it lies here.
  package init(of file: NodeFile, in store: DiskStore) throws {
    parts = FileParts(of: file.layout)
    opener = try file.opener()
    header = file.key.header
    folder = store.folder
    let stored = try store.database.read { transaction in
      try file.layout.storedSections.map { ($0, try transaction.storedSection($0, of: file)) }
    }
    for (section, found) in stored {
      guard let found, found.isWhole else { throw FileFault.contentMissing }
      sections[section] = found
    }
    leaves = try opener.leaves(of: sections[.data])
  }

  /// The bytes of a part. Throws `FileFault.contentMissing` where the disk did not keep them.
  package func bytes(of part: UInt64) throws -> [UInt8] {
    try parts.leaves(of: part).reduce(into: []) { $0 += try bytes(of: $1) }
  }

  private func bytes(of leaf: FileLeaf) throws -> [UInt8] {
    let place = parts.layout.range(of: leaf)
    if place.isEmpty || leaf.section == .header { return leaf.section == .header ? header : [] }
    guard let section = sections[leaf.section] else { throw FileFault.contentMissing }
    let start = parts.layout.range(of: leaf.section).lowerBound
    let bytes = try folder.read(place.lowerBound - start..<place.upperBound - start, of: section.id)
    guard opener.isRight(bytes, leaf, leaves) else { throw FileFault.contentMissing }
    return bytes
  }
}

extension DiskStore {
  /// The nodes with files that no server has, and of which the disk did not keep what was sealed. Reads all of them.
  public func damaged() throws -> [NodeID] {
    try database.read { try $0.sealedFiles() }.filter { try !isKept($0.file) }.map(\.node)
  }

  private func isKept(_ file: NodeFile) throws -> Bool {
    do {
      let parts = try SealedParts(of: file, in: self)
      for part in 0..<FileParts(of: file.layout).count { _ = try parts.bytes(of: part) }
      return true
    } catch is FileFault {
      return false
    }
  }
}

extension CloudTransaction {
  /// The files that are to be sent from here, also those that the server refused.
  fileprivate func sealedFiles() throws -> [(node: NodeID, file: NodeFile)] {
    try NodeID.fetchAll(db, sql: "SELECT node FROM file_uploads WHERE stage = 'sealed' ORDER BY node").compactMap {
      id in
      // One without its thumbnail is sealed anew when it is sent.
      try file(of: id).flatMap { try isWhole($0) || !isHere(.data, of: $0) ? (id, $0) : nil }
    }
  }
}
