public import Signing

/// Where the bytes of files are: a folder is one, an object store could be. It knows names and bytes; who may read what, and what is
/// listed, stands in the database.
///
/// What is kept is durable when `keep` returns. Nothing of what `begin` gave is there for others before that, or after a restart.
public protocol BlobStore: Sendable {
  /// Begins to write a part that has no name yet.
  func begin() throws -> any BlobWriter
  /// Bytes of a part: all of the range, or it throws.
  func read(_ part: BlobPart, _ range: Range<UInt64>) throws -> [UInt8]
  /// Takes away one part; it need not be there.
  func delete(_ part: BlobPart) throws
  /// Takes away all parts of a blob; it need not be there.
  func delete(_ blob: BlobName) throws
  /// The blobs that have parts, or had some.
  func list() throws -> [BlobName]
  /// The parts of a blob.
  func parts(of blob: BlobName) throws -> Set<UInt64>
}

/// Takes the bytes of one part. Whoever has one ends it with `keep` or `discard`.
public protocol BlobWriter {
  /// Takes the next bytes.
  func write(_ bytes: [UInt8]) throws
  /// Makes durable what was written, so that `keep` is quick.
  func finish() throws
  /// Gives the part its name, in place of what had it, durably.
  func keep(as part: BlobPart) throws
  /// Takes away what was written and not kept.
  func discard()
}

/// A blob's name: the number of its row, which is never given twice, and the content id, so that a database that was put back does not
/// take the bytes of another file for those of its own.
public struct BlobName: Hashable, Sendable, CustomStringConvertible {
  public let number: UInt64
  public let content: ContentID

  public init(number: UInt64, content: ContentID) {
    self.number = number
    self.content = content
  }

  /// Reads a description; nil for another text.
  public init?(_ text: String) {
    let halves = text.split(separator: "-", omittingEmptySubsequences: false)
    guard halves.count == 2, let number = UInt64(halves[0]),
      let content = Base16.decode(halves[1]).flatMap({ ContentID(bytes: $0) })
    else { return nil }
    self.init(number: number, content: content)
    guard description == text else { return nil }
  }

  public var description: String { "\(number)-\(content)" }
}

/// One part of a blob.
public struct BlobPart: Hashable, Sendable {
  public let blob: BlobName
  public let number: UInt64

  public init(_ blob: BlobName, _ number: UInt64) {
    self.blob = blob
    self.number = number
  }
}
