import CloudAPI
import Foundation
import Sealing
import Signing

/// A header whose key and contents opened: what only someone with the keys can check (spec §5.2 to §5.5).
struct OpenedNode {
  let header: HeaderBody
  let key: NodeKey
  let metadata: SealedNodeMetadata
  let content: NodeData
  /// Of a message: the section that it stands in, as its sender sealed it.
  private(set) var sealed: [UInt8] = []
  /// Why a section of the app's does not open: then there is none of them. A message is refused as a whole.
  private(set) var unreadable: Refusal?

  init(_ header: HeaderBody, key: NodeKey, contents: [WireContent]) throws(Refusal) {
    self.header = header
    self.key = key
    var plain: [Section: [UInt8]] = [:]
    for reference in header.contents where reference.isInPages {
      guard let content = contents.first(where: { Array($0.content) == reference.content.bytes }) else {
        throw .contentMissing
      }
      guard reference.fits(Array(content.ciphertext)) || Defence.contentHash.isDown else { throw .contentMismatch }
      do {
        plain[reference.section] = try Self.open(reference, Array(content.ciphertext), key)
      } catch {
        guard reference.section != .metadata, header.recipient == nil else { throw error }
        unreadable = error
      }
    }
    if unreadable != nil { plain = plain.filter { $0.key == .metadata } }
    metadata = try decode(SealedNodeMetadata.self, plain[.metadata] ?? [])
    content = NodeData(
      data: plain[.data] ?? [], history: plain[.history] ?? [], file: try NodeFile(of: header, metadata))
    if header.recipient != nil {
      let section = header.content(content.file == nil ? .data : .history)
      let bytes = contents.first { Array($0.content) == section?.content.bytes }
      sealed = bytes.map { Array($0.ciphertext) } ?? []
    }
    // A NUL would end the text early in the database.
    guard metadata.nameKey.count == 32, metadata.name.utf8.count <= Limits.nameBytes,
      metadata.pointer.alias.utf8.count <= Limits.nameBytes, !metadata.name.utf8.contains(0),
      !metadata.pointer.alias.utf8.contains(0), metadata.pointer.trashedAt >= 0
    else { throw .malformed }
    // Only what lists nothing can be a pointer, and no root is one.
    guard !metadata.hasPointer || header.form == .bare && header.parent != nil else { throw .malformed }
  }

  /// What this user says of the branch that hangs there. Empty and 0 say nothing.
  var alias: String? { metadata.pointer.alias.isEmpty ? nil : metadata.pointer.alias }
  var trashedAt: Int64? { metadata.pointer.trashedAt == 0 ? nil : metadata.pointer.trashedAt }

  /// Whether the name that the header's token stands for is the sealed one; a user's own node bears their id. A parent that was made here, and
  /// of which the server's row has not been opened yet, has no key: its child waits for it.
  func checkName(parentKey: SecretBytes?) throws(Refusal) {
    guard let token = header.nameToken else { return }
    guard !header.isNamedAfterItsAuthor || metadata.name == header.author.user.description else {
      throw .nameTokenWrong
    }
    guard let parentKey else { throw .parentWrong }
    guard nameToken(metadata.name, key: parentKey) == token || Defence.nameToken.isDown else { throw .nameTokenWrong }
  }

  private static func open(
    _ reference: ContentReference, _ ciphertext: [UInt8], _ key: NodeKey
  ) throws(Refusal) -> [UInt8] {
    do {
      return try key.open(
        ciphertext, content: reference.content, section: reference.section.rawValue, device: reference.device)
    } catch {
      throw error == .paddingWrong ? .paddingWrong : .contentUnopenable
    }
  }
}
