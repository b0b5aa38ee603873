public import Signing
import SwiftProtobuf

/// One sealed section, as a header lists it.
public struct ContentReference: Hashable, Sendable {
  public var content: ContentID
  public var section: Section
  /// The device that sealed it.
  public var device: DeviceID
  /// Of the ciphertext or the file, in bytes.
  public var length: UInt64
  /// Of the ciphertext; of a file its root.
  public var hash: Hash32
  /// Only of a file, which travels by itself: where its sections are (spec §10.3).
  public let file: FileLayout?

  public init(content: ContentID, section: Section, device: DeviceID, length: UInt64, hash: Hash32) {
    self.content = content
    self.section = section
    self.device = device
    self.length = length
    self.hash = hash
    file = nil
  }

  /// A file, which is always a node's data.
  public init(file layout: FileLayout, content: ContentID, device: DeviceID, root: Hash32) {
    self.content = content
    section = .data
    self.device = device
    length = layout.length
    hash = root
    file = layout
  }

  /// Whether it comes with its node: a thumbnail and a file are fetched when somebody wants them.
  package var isInPages: Bool { section != .thumbnail && file == nil }

  init(_ wire: WireContentReference) throws(Refusal) {
    guard let section = Section(rawValue: wire.section) else { throw .malformed }
    guard wire.hasFile else {
      self.init(
        content: try fixed(wire.content), section: section, device: try fixed(wire.device), length: wire.length,
        hash: try fixed(wire.hash))
      guard length <= Limits.contentBytes else { throw .limitExceeded }
      return
    }
    let layout = FileLayout(length: wire.length, metadata: wire.file.metadata, thumbnail: wire.file.thumbnail)
    guard let layout, section == .data else { throw .malformed }
    self.init(
      file: layout, content: try fixed(wire.content), device: try fixed(wire.device), root: try fixed(wire.hash))
  }

  var wire: WireContentReference {
    WireContentReference.with {
      $0.content = data(content.bytes)
      $0.section = section.rawValue
      $0.device = data(device.bytes)
      $0.length = length
      $0.hash = data(hash.bytes)
      guard let file else { return }
      $0.file.metadata = file.metadata
      $0.file.thumbnail = file.thumbnail
    }
  }

  /// Whether these are the bytes that the header means. A file is never told by this: its parts are checked by themselves.
  public func fits(_ ciphertext: [UInt8]) -> Bool {
    file == nil && UInt64(ciphertext.count) == length && digest(.contentHash, ciphertext) == hash
  }
}
