import Glibc
import SealedDisk
public import Sealing

/// A profile's database and the key file beside it, by the database's path. Opens nothing.
public struct ProfileSeal: Sendable {
  private let database: SealedDatabase

  /// The seal of the database at `path`, which is not opened.
  public init(path: String) { database = SealedDatabase(path: path) }

  /// Whose key seals the database; nil where everybody can read it, or there is none. Throws `StoreError`, `notSealed` where a key
  /// file stands beside a database that is not sealed.
  public func key() throws -> DatabaseKeyID? {
    try translated {
      if let key = try database.key() { return key }
      guard try database.keyFile.isThere() else { return nil }
      // Between the two looks a conversion may have come to its end.
      return try WriteLock(path: database.path + ".lock").hold {
        try database.requireSeal()
        return try database.key()
      }
    }
  }

  /// The file that a passphrase opens; nil where there is none. Throws `StoreError` and `KeyFileError`.
  public func keyFile() throws -> KeyFile? {
    // One byte more, so that a longer file is seen.
    func read() throws -> [UInt8]? { try translated { try database.keyFile.read(KeyFile.length + 1) } }
    var bytes = try read()
    if bytes == nil {
      // A conversion puts it aside until it has come to its end.
      try tidy()
      bytes = try read()
    }
    return try bytes.map { try KeyFile(encoded: $0) }
  }

  /// True where the key file holds the key that seals the database. Throws `StoreError` where that cannot be told.
  public func hasKeyFile() throws -> Bool {
    do {
      return try keyFile()?.id == key()
    } catch is KeyFileError {
      return false
    }
  }

  /// Puts the same key under another passphrase, also where its file is gone. Throws `StoreError`.
  public func replaceKeyFile(_ file: KeyFile) throws {
    try converting { try database.replaceKey(file) }
  }

  /// Seals the database, while nobody else uses it. Throws `StoreError`; then nothing has changed.
  public func seal(under key: DatabaseKey, _ file: KeyFile) throws {
    try converting { try database.seal(under: key, file) }
  }

  /// Takes the seal off, while nobody else uses the database. Throws `StoreError`; then nothing has changed.
  public func unseal(_ key: DatabaseKey) throws {
    try converting { try database.unseal(key) }
  }

  /// Removes what a conversion left that did not come to its end. Throws `StoreError`.
  public func tidy() throws {
    try translated {
      guard try database.hasDrafts() else { return }
      try WriteLock(path: database.path + ".lock").hold { try database.clearDrafts() }
    }
  }

  /// How many bytes lie behind the last page of a sealed database: nobody reads them. Throws `StoreError`.
  /// - Parameter pages: how many the database has, by its own word (`CloudTransaction.pageCount`).
  public func strayBytes(pages: () throws -> Int) throws -> Int {
    try translated { try database.strayBytes(pages: pages) }
  }

  /// How long a sync may take to come to its end, in steps of 50 milliseconds.
  private static let patience = 200

  /// Runs `body` while no sync runs and nobody opens the database or writes.
  private func converting(_ body: () throws -> Void) throws {
    try translated {
      let syncLock = try SyncLock(path: database.path + ".sync")
      var turns = 0
      while !syncLock.take() {
        turns += 1
        guard turns < Self.patience else { throw StoreError.busy }
        usleep(50_000)
      }
      defer { syncLock.release() }
      try WriteLock(path: database.path + ".lock").hold(body)
    }
  }

  private func translated<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let failure as SealFailure {
      throw StoreError(failure)
    }
  }
}
