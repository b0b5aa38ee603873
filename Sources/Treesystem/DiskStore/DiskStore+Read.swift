public import Sealing
public import Signing

extension DiskStore {
  /// A file's metadata or thumbnail; nil where it is not here. A section that the disk did not keep as it was is forgotten, so that it is fetched again.
  public func section(_ section: FileSection, of file: NodeFile) throws -> [UInt8]? {
    let opener = try file.opener()
    guard !file.layout.range(of: section).isEmpty else { return [] }
    guard let stored = try use(section, of: file.content) else { return nil }
    let bytes = try folder.read(0..<stored.length, of: stored.id)
    do {
      return section == .metadata ? try opener.metadata(bytes) : try opener.thumbnail(bytes)
    } catch {
      try forget(stored)
      return nil
    }
  }

  /// Writes a file's data into `sink`; false where not all of it is here. What was written before it turned out that the disk did not
  /// keep it is right, but not all: the caller throws it away.
  public func data(of file: NodeFile, into sink: inout some FileSink) throws -> Bool {
    let opener = try file.opener()
    guard file.layout.leafCount > 0 else { return true }
    guard let stored = try use(.data, of: file.content) else { return false }
    var source = SectionSource(folder: folder, section: stored)
    do {
      let leaves = try opener.needsLeaves ? opener.leaves(stored.leaves) : opener.soleLeaf()
      try opener.data(from: &source, leaves, into: &sink)
      return true
    } catch is FileFault {
      try forget(stored)
      return false
    }
  }

  /// Reads a range of the sealed file, for its upload. It has to lie here as a whole.
  package func sealed(_ range: Range<UInt64>, of file: NodeFile) throws -> [UInt8] {
    var bytes: [UInt8] = []
    for section in [FileSection.header, .metadata, .thumbnail, .data] {
      let place = file.layout.range(of: section)
      let wanted = range.clamped(to: place)
      guard !wanted.isEmpty else { continue }
      let local = wanted.lowerBound - place.lowerBound..<wanted.upperBound - place.lowerBound
      if section == .header {
        bytes += file.key.header[Int(local.lowerBound)..<Int(local.upperBound)]
        continue
      }
      let stored = try database.read { try $0.storedSection(section, of: file.content) }
      guard let stored, stored.isWhole else { throw FileFault.contentMissing }
      let read = try folder.read(local, of: stored.id)
      guard read.count == local.count else { throw FileFault.contentMissing }
      bytes += read
    }
    return bytes
  }

  /// The section, if all of it is here. It counts as used.
  private func use(_ section: FileSection, of content: ContentID) throws -> StoredSection? {
    guard let stored = try database.read({ try $0.storedSection(section, of: content) }), stored.isWhole else {
      return nil
    }
    try database.write { try $0.advance(stored, to: stored.length) }
    return stored
  }

  private func forget(_ section: StoredSection) throws {
    try database.write { try $0.forget(section) }
    try sweep()
  }
}

/// Reads a stored section from its beginning.
private struct SectionSource: FileSource {
  let folder: any SectionFolder
  let section: StoredSection
  private var position: UInt64 = 0

  init(folder: any SectionFolder, section: StoredSection) {
    self.folder = folder
    self.section = section
  }

  mutating func read(_ count: Int) throws -> [UInt8] {
    let end = min(position + UInt64(count), section.length)
    let bytes = try folder.read(position..<end, of: section.id)
    position += UInt64(bytes.count)
    return bytes
  }
}
