import CloudAPI
import Sealing
import Signing

extension DiskStore {
  /// Seals a file once more whose data lies here, and of whose small sections one does not: without that, and so under another key. Throws a
  /// `FileFault` where the disk did not keep the data.
  func storeAnew(_ file: NodeFile) throws -> NodeFile {
    var source = try OpenedSource(file, folder, database.read { try $0.storedSection(.data, of: file) })
    return try store(
      metadata: section(.metadata, of: file) ?? [], thumbnail: section(.thumbnail, of: file) ?? [], data: &source,
      size: file.sizes.data)
  }
}

/// Reads the data of a file that lies here, opened, one leaf in memory at a time.
private struct OpenedSource: FileSource {
  private let opener: FileOpener
  private let leaves: FileLeaves
  private let folder: any SectionFolder
  private let section: StoredSection?
  private var next: UInt64 = 0
  private var rest: ArraySlice<UInt8> = []

  init(_ file: NodeFile, _ folder: any SectionFolder, _ section: StoredSection?) throws {
    (self.folder, self.section) = (folder, section)
    opener = try file.opener()
    leaves = try opener.leaves(of: section)
  }

  mutating func read(_ count: Int) throws -> [UInt8] {
    while rest.isEmpty, next < opener.layout.leafCount, let section {
      let start = next * FileChunk.sealedLeafSize
      let bytes = try folder.read(start..<min(start + FileChunk.sealedLeafSize, section.length), of: section.id)
      rest = try opener.data(bytes, leaf: next, leaves)[...]
      next += 1
    }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }
}
