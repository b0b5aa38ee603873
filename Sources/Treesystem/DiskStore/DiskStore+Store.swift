import CloudAPI
import GRDB
public import Sealing
import Signing

extension DiskStore {
  /// Seals a file onto this disk, in persistent mode, as a whole: what is uploaded later is read from here, whatever becomes of its source. It is
  /// nobody's until it is given to a node. A source that has another length than `size` says is `FileSealError.sourceChanged`, and nothing stays.
  public func store(
    metadata: [UInt8] = [], thumbnail: [UInt8] = [], data: inout some FileSource, size: UInt64,
    after: AfterUpload = .cache
  ) throws -> NodeFile {
    let sealer = try FileSealer(metadata: metadata, thumbnail: thumbnail, dataSize: size, database.entropy)
    let layout = sealer.layout
    var sink = try SectionSink(
      layout: layout, folder: folder,
      sections: database.write { transaction in
        try layout.storedSections.map {
          try transaction.beginSealing($0, of: layout, after: after)
        }
      })
    do {
      let sealed = try sealer.seal(&data, into: &sink)
      for section in sink.sections { try folder.keep(section.id) }
      try database.write { transaction in
        for section in sink.sections {
          try transaction.endSealing(section, root: sealed.root, leaves: sealed.leaves)
        }
      }
      return NodeFile(sealed)
    } catch {
      try? database.write { transaction in for section in sink.sections { try transaction.forget(section) } }
      try? sweep()
      throw error
    }
  }
}

/// Cuts a file that is written from its first byte to its last into its sections. The header is in the file's key, and is not stored.
private struct SectionSink: FileSink {
  let folder: any SectionFolder
  /// Those that are not empty, in the order of the file.
  let sections: [StoredSection]
  private var ends: [UInt64] = []
  private var written: UInt64 = 0

  init(layout: FileLayout, folder: any SectionFolder, sections: [StoredSection]) {
    self.folder = folder
    self.sections = sections
    var end = FileLayout.header
    for section in sections {
      end += section.length
      ends.append(end)
    }
  }

  mutating func write(_ bytes: [UInt8]) throws {
    defer { written += UInt64(bytes.count) }
    // What seals writes whole chunks, so no write reaches into two sections.
    guard let place = ends.firstIndex(where: { written < $0 }), written >= FileLayout.header else { return }
    try folder.write(bytes, to: sections[place].id, at: written - (ends[place] - sections[place].length))
  }
}

extension FileLayout {
  /// The sections that lie on a disk: not the header, which is in the file's key, and none that is empty.
  var storedSections: [FileSection] {
    [.metadata, .thumbnail, .data].filter { !range(of: $0).isEmpty }
  }
}
