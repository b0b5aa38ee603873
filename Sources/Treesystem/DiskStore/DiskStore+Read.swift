public import Sealing
public import Signing

extension DiskStore {
  /// A file's metadata or thumbnail; nil where it is not here. A section that the disk did not keep as it was is forgotten, so that it is fetched again.
  public func section(_ section: FileSection, of file: NodeFile) throws -> [UInt8]? {
    let opener = try file.opener()
    guard !file.layout.range(of: section).isEmpty else { return [] }
    guard let stored = try use(section, of: file) else { return nil }
    let bytes = try folder.read(0..<stored.length, of: stored.id)
    let opened: [UInt8]
    do {
      opened = section == .metadata ? try opener.metadata(bytes) : try opener.thumbnail(bytes)
    } catch {
      try forget(stored)
      return nil
    }
    try release(stored)
    return opened
  }

  /// Writes a file's data into `sink`; false where not all of it is here. What was written before it turned out that the disk did not
  /// keep it is right, but not all: the caller throws it away.
  public func data(of file: NodeFile, into sink: inout some FileSink) throws -> Bool {
    let opener = try file.opener()
    guard file.layout.leafCount > 0 else { return true }
    guard let stored = try use(.data, of: file) else { return false }
    var source = SectionSource(folder: folder, section: stored)
    do {
      try opener.data(from: &source, opener.leaves(of: stored), into: &sink)
    } catch is FileFault {
      try forget(stored)
      return false
    }
    try release(stored)
    return true
  }

  /// The section, if all of it is here. It counts as used.
  private func use(_ section: FileSection, of file: NodeFile) throws -> StoredSection? {
    guard let stored = try database.read({ try $0.storedSection(section, of: file) }), stored.isWhole else {
      return nil
    }
    try database.write { try $0.touch(stored) }
    return stored
  }

  /// Whoever had asked for it has seen it.
  private func release(_ section: StoredSection) throws {
    if section.isHeld { try database.write { try $0.release(section) } }
  }

  /// What nobody else has is not given up because its file is not there: it may come back with its folder.
  private func forget(_ section: StoredSection) throws {
    if try database.read({ try $0.isOnlyHere(section) }), try folder.read(0..<1, of: section.id).isEmpty { return }
    try database.write { try $0.forget(section) }
    try sweep()
  }
}

extension FileOpener {
  /// The hashes that lie beside the data, or that the key tells.
  func leaves(of data: StoredSection?) throws(FileFault) -> FileLeaves {
    try needsLeaves ? leaves(data?.leaves ?? []) : soleLeaf()
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
