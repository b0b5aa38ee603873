import Glibc
public import Sealing

/// The files beside a database. None that may be the only one of its kind is removed, and nothing is done where it is not known how the
/// database lies there.
extension SealedDatabase {
  /// What was written last, as long as somebody has the database open or nobody could close it.
  var log: WholeFile { WholeFile(path: path + "-wal") }

  /// True while a conversion runs, or where one did not come to its end.
  public func hasDrafts() throws(SealFailure) -> Bool {
    let isConverting = try draft.isThere()
    return try keyDraft.isThere() ? true : isConverting
  }

  /// Puts away what a conversion left that did not come to its end: the whole database, perhaps not sealed, and a key file that is
  /// not needed. One that is needed comes into its place. Nobody may be converting. Throws `SealFailure.missing` where the database is gone,
  /// `SealFailure.notSealed` where something else lies in its place, and touches nothing then.
  public func clearDrafts() throws(SealFailure) {
    guard try hasDrafts() else { return }
    switch try DatabaseForm(path: path) {
    case .sealed(let header):
      draft.remove()
      if try keyDraft.isThere() { try place(keyDraft, for: header.id) }
    case .plain:
      draft.remove()
      if try keyDraft.isThere() { try putAside(keyDraft) }
    case .missing: throw .missing
    case .foreign: throw .notSealed
    }
  }

  /// Makes a database without a page of anybody's, where there is none. Throws `SealFailure.damaged` where what is there is no database: it is
  /// made whole, so an empty file is one that somebody emptied. Whoever would make one meanwhile has to be kept out.
  /// - Parameter isAlone: whether nothing else is there of a database.
  public func makeIfMissing(isAlone: () throws -> Bool) throws {
    switch try DatabaseForm(path: path) {
    case .plain, .sealed: return
    case .foreign: throw SealFailure.damaged
    case .missing: guard try log.size() == 0, try !hasDrafts(), try isAlone() else { throw SealFailure.missing }
    }
    let blank = WholeFile(path: path + ".blank")
    blank.remove()
    do throws(SealFailure) {
      try blank.make { descriptor throws(SealFailure) in try WholeFile.write(Self.firstPage, to: descriptor) }
      try blank.take(placeOf: WholeFile(path: path))
    } catch {
      blank.remove()
      throw error
    }
  }

  /// How many bytes of a sealed database lie behind its last page, where nothing is read.
  /// - Parameter pages: how many SQLite counts now: never fewer than before, so it is asked after the length of the file.
  public func strayBytes(pages: () throws -> Int) throws -> Int {
    guard try key() != nil else { return 0 }
    let size = try WholeFile(path: path).size()
    return try max(0, size - UnitLayout.sealedSize(ofPages: pages()))
  }

  /// As SQLite writes it into a new database that has a log: sizes, versions, and no table.
  private static let firstPage: [UInt8] = {
    var page = [UInt8](repeating: 0, count: UnitLayout.page)
    page.replaceSubrange(0..<16, with: Array("SQLite format 3\0".utf8))
    page.replaceSubrange(16..<24, with: [0x10, 0x00, 2, 2, 0, 64, 32, 32])
    // Of the first change, one page long; and the program that is good for it.
    for place in [27, 31, 95] { page[place] = 1 }
    page.replaceSubrange(96..<100, with: [0x00, 0x2E, 0x63, 0x01])
    page.replaceSubrange(100..<108, with: [0x0D, 0, 0, 0, 0, 0x10, 0x00, 0])
    return page
  }()

  /// Writes the key file of the sealed database, also where none is there. Another key's is put aside.
  public func replaceKey(_ file: KeyFile) throws(SealFailure) {
    guard try key() == file.id else { throw .locked }
    if try keyFile.isThere(), try id(of: keyFile) != file.id { try putAside(keyFile) }
    try keyFile.replace(file.encoded)
  }

  /// Gives the key file its name. Where one has it already, the one that opens the database gets it, and the other is put aside.
  private func place(_ file: WholeFile, for id: DatabaseKeyID) throws(SealFailure) {
    if try keyFile.isThere() {
      let (placed, drafted) = (try self.id(of: keyFile), try self.id(of: file))
      guard placed != id, drafted == id else { return try putAside(file) }
      try putAside(keyFile)
    }
    try file.take(placeOf: keyFile)
  }

  /// Whose key is in a file; nil where it is no key file.
  private func id(of file: WholeFile) throws(SealFailure) -> DatabaseKeyID? {
    guard let bytes = try file.read(KeyFile.length + 1) else { return nil }
    return try? KeyFile(encoded: bytes).id
  }

  /// Gives a key file that is not needed a name under which nothing looks for it: it opens copies that somebody may have of the database.
  private func putAside(_ file: WholeFile) throws(SealFailure) {
    // A folder is no key, and stands in the way of whoever writes one.
    guard let facts = try file.facts(), facts.st_mode & S_IFMT != S_IFDIR else { return }
    for number in 1... {
      let aside = WholeFile(path: "\(path).key.old\(number == 1 ? "" : ".\(number)")")
      if try aside.isThere() { continue }
      return try file.take(placeOf: aside)
    }
  }
}
