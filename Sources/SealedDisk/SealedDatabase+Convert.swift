import Glibc
package import Sealing

extension SealedDatabase {
  /// How far a conversion is: tests look at the disk after each step.
  package enum Step: CaseIterable, Sendable {
    case settled, keyWritten, copied, compared, renamed, keyPlaced, keyAside
  }

  /// Seals the database, and puts its key beside it. Whoever would open it meanwhile has to be kept out.
  package func seal(under key: DatabaseKey, _ file: KeyFile, then: (Step) -> Void = { _ in }) throws(SealFailure) {
    try clearDrafts()
    guard try self.key() == nil else { throw .locked }
    try requireSeal()
    try requireOneName()
    try settle(nil)
    then(.settled)
    // In its own place it would say of a database that is not sealed yet that it should be.
    try keyDraft.replace(file.encoded)
    then(.keyWritten)
    do throws(SealFailure) {
      try convert(from: .plain, to: .sealed(key), then)
    } catch {
      try clearDrafts()
      throw error
    }
    try keyDraft.take(placeOf: keyFile)
    then(.keyPlaced)
  }

  /// Refuses a file that another name leads to as well: a sealed copy in place of this name would leave all of it readable under the other.
  /// The log has pages of it that are not in it yet.
  private func requireOneName() throws(SealFailure) {
    guard try WholeFile(path: path).isThere() else { throw .missing }
    for ending in ["", "-wal", "-journal"] {
      guard let facts = try WholeFile(path: path + ending).facts() else { continue }
      guard facts.st_mode & S_IFMT == S_IFREG, facts.st_nlink == 1 else { throw .linked }
    }
  }

  /// Takes the seal off, and puts the key aside. Whoever would open it meanwhile has to be kept out.
  package func unseal(_ key: DatabaseKey, then: (Step) -> Void = { _ in }) throws(SealFailure) {
    try clearDrafts()
    try settle(key)
    then(.settled)
    if try keyFile.isThere() { try keyFile.take(placeOf: keyDraft) }
    then(.keyPlaced)
    do throws(SealFailure) {
      try convert(from: .sealed(key), to: .plain, then)
    } catch {
      try clearDrafts()
      throw error
    }
    try clearDrafts()
    then(.keyAside)
  }

  /// Writes a copy, reads it once more, and puts it in the database's place.
  private func convert(from old: PageForm, to new: PageForm, _ then: (Step) -> Void) throws(SealFailure) {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw .system(errno) }
    defer { close(source) }
    do throws(SealFailure) {
      try draft.make { copy throws(SealFailure) in
        try WholeFile.write(new.head, to: copy)
        try old.forEachPage(of: source) { page, unit throws(SealFailure) in
          try WholeFile.write(new.seal(page, unit), to: copy)
        }
        guard fsync(copy) == 0 else { throw .system(errno) }
        then(.copied)
        guard lseek(copy, off_t(new.head.count), SEEK_SET) >= 0 else { throw .system(errno) }
        try old.forEachPage(of: source) { page, unit throws(SealFailure) in
          guard try new.open(WholeFile.read(copy, new.length), unit) == page else { throw .damaged }
        }
        then(.compared)
      }
      try draft.take(placeOf: WholeFile(path: path))
    } catch {
      draft.remove()
      throw error
    }
    then(.renamed)
  }
}

/// How the pages of a database lie in a file.
private enum PageForm {
  case plain
  case sealed(DatabaseKey)

  /// What stands before them.
  var head: [UInt8] {
    switch self {
    case .plain: []
    case .sealed(let key): DatabaseHeader(key).encoded
    }
  }

  /// Of one page, in the file.
  var length: Int {
    switch self {
    case .plain: UnitLayout.page
    case .sealed: UnitLayout.page + Seal.overhead
    }
  }

  func seal(_ page: [UInt8], _ unit: UnitLayout.Unit) -> [UInt8] {
    switch self {
    case .plain: page
    case .sealed(let key): key.seal(page, unit)
    }
  }

  /// Nil for what does not open.
  func open(_ page: [UInt8], _ unit: UnitLayout.Unit) -> [UInt8]? {
    switch self {
    case .plain: page
    case .sealed(let key): key.open(page, unit)
    }
  }

  /// Goes through the pages of a file from the first to the last. Of a sealed file there have to be as many as its first page says.
  func forEachPage(
    of source: Int32, _ body: ([UInt8], UnitLayout.Unit) throws(SealFailure) -> Void
  ) throws(SealFailure) {
    guard lseek(source, off_t(head.count), SEEK_SET) >= 0 else { throw .system(errno) }
    let layout = UnitLayout(file: .database)
    var count: Int?
    for number in 0... {
      let unit = layout.unit(at: number * UnitLayout.page)
      let bytes = try WholeFile.read(source, length)
      if bytes.isEmpty {
        guard case .sealed = self else { return }
        guard number == count else { throw .damaged }
        return
      }
      guard bytes.count == length, let page = open(bytes, unit) else { throw .damaged }
      if number == 0 { count = UnitLayout.pageCount(inFirst: page) }
      try body(page, unit)
    }
  }
}
