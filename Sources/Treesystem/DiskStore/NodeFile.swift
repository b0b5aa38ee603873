import CloudAPI
import Foundation
import GRDB
package import Sealing
public import Signing
import SwiftProtobuf

/// A file that a node has, or is to have: what its header says of it, and what opens it.
public struct NodeFile: Hashable, Sendable {
  /// The file; another version of it has another id.
  public let content: ContentID
  /// How long it is, sealed, and where its sections are.
  public let layout: FileLayout
  /// The hash over all of it, which the node's header signs.
  public let root: Hash32
  let key: FileKey

  package init(_ sealed: SealedFile) {
    content = sealed.content
    layout = sealed.layout
    root = sealed.root
    key = sealed.key
  }

  init(content: ContentID, layout: FileLayout, root: Hash32, key: FileKey) {
    self.content = content
    self.layout = layout
    self.root = root
    self.key = key
  }

  /// The content id stands for the bytes, and the root for all else.
  public static func == (a: NodeFile, b: NodeFile) -> Bool { a.content == b.content && a.root == b.root }
  public func hash(into hasher: inout Hasher) { hasher.combine(content) }

  /// The file that a header lists; nil where it lists none. The metadata has a key exactly if there is one (spec §10.3).
  init?(of header: HeaderBody, _ metadata: SealedNodeMetadata) throws(Refusal) {
    guard let reference = header.content(.data), let layout = reference.file else {
      guard !metadata.hasFile else { throw .malformed }
      return nil
    }
    guard metadata.hasFile else { throw .malformed }
    self.init(content: reference.content, layout: layout, root: reference.hash, key: try FileKey(metadata.file))
    do {
      _ = try opener()
    } catch {
      throw Refusal(error)
    }
  }

  /// How many bytes the app's sections have.
  public var sizes: FileSizes { get throws(FileFault) { try opener().sizes } }

  /// Opens its sections.
  func opener() throws(FileFault) -> FileOpener {
    try FileOpener(content: content, layout: layout, root: root, key: key)
  }
}

extension CloudTransaction {
  /// The file that a node has.
  public func file(of node: NodeID) throws -> NodeFile? {
    let row = try Row.fetchOne(
      db, sql: "SELECT content, length, metadata, thumbnail, root, file_key FROM node_files WHERE node = ?",
      arguments: [node])
    guard let row else { return nil }
    let layout = FileLayout(
      length: UInt64(row[1] as Int64), metadata: UInt64(row[2] as Int64), thumbnail: UInt64(row[3] as Int64))
    guard let layout else { throw StoreError.damaged }
    let wire = try SealedFileKey(serializedBytes: row[5] as Data)
    return NodeFile(content: row[0], layout: layout, root: row[4], key: try FileKey(wire))
  }

  /// The nodes that have a file.
  func nodes(with file: NodeFile) throws -> [Node] {
    try NodeID.fetchAll(db, sql: "SELECT node FROM node_files WHERE root = ?", arguments: [file.root])
      .compactMap { try node($0) }
  }

  /// Notes which file a node has, in place of the one that it had.
  func noteFile(_ file: NodeFile, of node: NodeID) throws {
    try db.execute(
      sql: """
        INSERT INTO node_files (node, content, length, metadata, thumbnail, root, file_key) VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (node) DO UPDATE SET content = excluded.content, length = excluded.length,
          metadata = excluded.metadata, thumbnail = excluded.thumbnail, root = excluded.root, file_key = excluded.file_key
        """,
      arguments: [
        node, file.content, Int64(file.layout.length), Int64(file.layout.metadata), Int64(file.layout.thumbnail),
        file.root, file.key.wire.serializedData(),
      ])
  }

  /// Takes a node's file away, and from the disk unless another node has it too.
  func removeFile(of node: NodeID) throws {
    let delete = try db.cachedStatement(sql: "DELETE FROM node_files WHERE node = ?")
    try delete.execute(arguments: [node])
  }
}
