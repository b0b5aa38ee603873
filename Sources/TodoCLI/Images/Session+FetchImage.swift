import CloudAPI
import Sealing
import Sharing
import Signing
import TodoCore
import Treesystem

extension Session {
  /// Has sections of an image on this device, from the server where need be. Where that cannot be reached they come with the next sync.
  func fetch(_ components: NodeComponents, of named: NamedImage) async throws {
    let (node, file) = (named.image.node, named.image.file)
    if try read({ try $0.isHere(components, of: file) }) { return }
    guard options.sync != false, try read({ try $0.account() }) != nil else { throw Complaint.imageNotHere }
    do {
      try await Interruption.ending { [self] in
        try await withCloud("fetching the image") { cloud, line in
          try await cloud.fetchFile(components, of: node) { line.update($0) }
        }
      }
    } catch CloudFailure.unreachable {
      try database.write { try $0.markFileAsNeedsDownload(node, components: components) }
      var complaint = Complaint(CloudFailure.unreachable as any Error)
      complaint.hint = "the image comes with the next 'todo sync'"
      throw complaint
    } catch CloudFailure.refused(let reason) where [.contentMissing, .notFound].contains(reason) {
      throw Complaint.imageGone(reason, author: named.author)
    } catch let fault as FileFault {
      throw Complaint(fault, of: "the image", signedBy: named.author ?? "your device")
    }
  }

  /// An image's metadata or thumbnail, fetched where need be.
  func section(_ section: FileSection, of named: NamedImage) async throws -> [UInt8] {
    // What the disk turns out not to have kept is fetched once more.
    for _ in 0..<2 {
      try await fetch(section == .metadata ? .metadata : .thumbnail, of: named)
      if let bytes = try database.diskStore.section(section, of: named.image.file) { return bytes }
    }
    throw StoreError.disk
  }

  /// Writes an image into a sink that is made anew for each try.
  func write<Sink: FileSink>(_ named: NamedImage, into make: () throws -> Sink) async throws -> Sink {
    for _ in 0..<2 {
      try await fetch(.data, of: named)
      var sink = try make()
      if try database.diskStore.data(of: named.image.file, into: &sink) { return sink }
    }
    throw StoreError.disk
  }
}

extension CloudTransaction {
  fileprivate func isHere(_ components: NodeComponents, of file: NodeFile) throws -> Bool {
    let sections: [(NodeComponents, FileSection)] = [
      (.metadata, .metadata), (.thumbnail, .thumbnail), (.data, .data),
    ]
    return try sections.allSatisfy { try !components.contains($0.0) || isHere($0.1, of: file) }
  }
}
