/// What a folder of blobs asks of a disk. Paths are below the folder; a test puts a disk that fails in its place.
public protocol BlobDisk: Sendable {
  /// Makes a folder, unless it is there; it is not durable yet.
  func makeFolder(_ path: String) throws
  /// Makes a file that is not there.
  func create(_ path: String) throws -> any BlobFile
  /// Makes durable which files a folder has.
  func syncFolder(_ path: String) throws
  /// Gives a file another name, in place of the one that had it.
  func rename(_ path: String, to name: String) throws
  /// Takes away a file, if it is there.
  func remove(_ path: String) throws
  /// Takes away an empty folder, if it is there.
  func removeFolder(_ path: String) throws
  /// The names in a folder; none if it is not there.
  func names(in path: String) throws -> [String]
  /// Bytes of a file: all of the range, or it throws.
  func read(_ path: String, _ range: Range<UInt64>) throws -> [UInt8]
}

/// A file that is being written.
public protocol BlobFile {
  /// Appends all of these bytes.
  func write(_ bytes: [UInt8]) throws
  /// Makes them durable.
  func sync() throws
  /// Lets go of the file. Once is enough.
  func close()
}
