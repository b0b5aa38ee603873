import Synchronization

/// Blobs in a folder: of each blob a folder, of each part a file. A part is written under another name, synced, renamed, and its folder
/// synced: so a name stands for all of the bytes or is not there, whatever ends the server.
public final class FolderBlobStore: BlobStore {
  /// Where parts are written that have no name yet. Nothing in it outlives a server.
  private static let arriving = "arriving"

  private let disk: any BlobDisk
  private let count = Atomic<UInt64>(0)

  /// Opens a folder of this machine's disk, which it makes readable by its owner only.
  public convenience init(folder: String) throws {
    try self.init(disk: SystemDisk(folder: folder))
  }

  /// Opens what is on a disk, and takes away what did not arrive before the last server ended.
  public init(disk: any BlobDisk) throws {
    self.disk = disk
    try disk.makeFolder("")
    try disk.makeFolder(Self.arriving)
    for name in try disk.names(in: Self.arriving) { try disk.remove("\(Self.arriving)/\(name)") }
    try disk.syncFolder("")
  }

  public func begin() throws -> any BlobWriter {
    let number = count.wrappingAdd(1, ordering: .relaxed).newValue
    let path = "\(Self.arriving)/\(number)"
    return Writer(disk: disk, path: path, file: try disk.create(path))
  }

  public func read(_ part: BlobPart, _ range: Range<UInt64>) throws -> [UInt8] {
    try disk.read(Self.path(part), range)
  }

  public func delete(_ part: BlobPart) throws { try disk.remove(Self.path(part)) }

  public func delete(_ blob: BlobName) throws {
    for name in try disk.names(in: blob.description) { try disk.remove("\(blob)/\(name)") }
    try disk.removeFolder(blob.description)
  }

  public func list() throws -> [BlobName] { try disk.names(in: "").compactMap { BlobName($0) } }

  public func parts(of blob: BlobName) throws -> Set<UInt64> {
    Set(try disk.names(in: blob.description).compactMap { UInt64($0) })
  }

  private static func path(_ part: BlobPart) -> String { "\(part.blob)/\(part.number)" }

  private final class Writer: BlobWriter {
    private let disk: any BlobDisk
    private let path: String
    private let file: any BlobFile

    init(disk: any BlobDisk, path: String, file: any BlobFile) {
      self.disk = disk
      self.path = path
      self.file = file
    }

    func write(_ bytes: [UInt8]) throws { try file.write(bytes) }

    func finish() throws {
      try file.sync()
      file.close()
    }

    /// The folder may be there without having been synced, by a server that was ended in between: so it always is.
    func keep(as part: BlobPart) throws {
      let folder = part.blob.description
      try disk.makeFolder(folder)
      try disk.syncFolder("")
      try disk.rename(path, to: FolderBlobStore.path(part))
      try disk.syncFolder(folder)
    }

    /// What stays behind here is found at the next start.
    func discard() {
      file.close()
      try? disk.remove(path)
    }
  }
}
