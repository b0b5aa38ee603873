import CloudAPI
import Sealing
import Sharing
import Signing
import TodoCore
import Treesystem

extension Session {
  /// Has sections of an image on this device, from the server where need be. Where that cannot be reached they come with the next sync.
  /// - Parameter rest: what the command needs after these: it comes with them, or another try would fail for the want of it.
  func fetch(_ components: NodeComponents, of named: NamedImage, before rest: NodeComponents = []) async throws {
    let (node, file) = (named.image.node, named.image.file)
    if try read({ try $0.missing(components, of: file) }).isEmpty { return }
    guard try read({ try $0.account() }) != nil else { throw Complaint.imageNowhere }
    guard options.sync != false else { throw Complaint.imageNotHere }
    do {
      try await Interruption.ending { [self] in
        try await withCloud("fetching the image") { cloud, line in
          try await cloud.fetchFile(components, of: node) { line.update($0) }
        }
      }
    } catch CloudFailure.unreachable {
      try database.write { transaction in
        let missing = try transaction.missing(components.union(rest), of: file)
        try transaction.markFileAsNeedsDownload(node, components: missing)
      }
      var complaint = Complaint(CloudFailure.unreachable as any Error)
      complaint.hint = "the image comes with the next 'todo sync'"
      throw complaint
    } catch CloudFailure.refused(let reason) where [.contentMissing, .notFound].contains(reason) {
      throw Complaint.imageGone(reason, author: named.author)
    } catch CloudFailure.refused(.letterMissing) {
      throw try read { try $0.imageWithheld(named) }
    } catch let fault as FileFault {
      throw Complaint(fault, of: "the image", signedBy: named.signer ?? "your device")
    }
  }

  /// An image's metadata or thumbnail, fetched where need be.
  func section(
    _ section: FileSection, of named: NamedImage, before rest: NodeComponents = []
  ) async throws -> [UInt8] {
    // What the disk turns out not to have kept is fetched once more.
    for _ in 0..<2 {
      try await fetch(section == .metadata ? .metadata : .thumbnail, of: named, before: rest)
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

/// Takes what nobody reads: for the sake of its being looked at.
struct NoSink: FileSink {
  func write(_ bytes: [UInt8]) throws { try Task.checkCancellation() }
}

extension CloudTransaction {
  /// Those sections that are not here.
  fileprivate func missing(_ components: NodeComponents, of file: NodeFile) throws -> NodeComponents {
    let sections: [(NodeComponents, FileSection)] = [
      (.metadata, .metadata), (.thumbnail, .thumbnail), (.data, .data),
    ]
    return try sections.filter { try components.contains($0.0) && !isHere($0.1, of: file) }
      .reduce(into: []) { $0.formUnion($1.0) }
  }

  /// The server does not give it to this user.
  fileprivate func imageWithheld(_ named: NamedImage) throws -> Complaint {
    let branch = try node(named.image.node)?.branch
    guard let list = try lists().first(where: { $0.branch == branch }) else {
      return Complaint(Refusal.letterMissing as any Error)
    }
    return Complaint.imageWithheld(on: list.name, try end(of: list))
  }
}
