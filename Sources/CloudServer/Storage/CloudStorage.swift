/// Where a server keeps accounts, branches, nodes and contents. SQLite is one; every implementation passes one suite.
public protocol CloudStorage: Sendable {
  /// Runs `body` on one unchanging state.
  func read<T>(_ body: (any CloudStorageReader) throws -> T) throws -> T
  /// Runs `body` alone among writers; keeps all of its changes, durably, or none where it throws.
  func write<T>(_ body: (any CloudStorageTransaction) throws -> T) throws -> T
}

/// Why storage did not do what it was asked. No case says what was stored.
public enum StorageFailure: Error, Equatable, Sendable {
  /// There is no room left.
  case full
  /// What is stored is not what was stored.
  case damaged
  /// A disk that failed with a code of the system's, under the files.
  case disk(code: Int32)
  /// Anything else, with the database's own code.
  case broken(code: Int32)
}
