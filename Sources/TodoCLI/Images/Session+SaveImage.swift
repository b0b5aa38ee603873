import Glibc
import Signing
import TodoCore
import Treesystem

extension Session {
  /// Where an image is to be saved: what somebody said, in a folder under its own name.
  /// - Parameter name: what it is called where its sender said nothing of use.
  func target(_ path: String?, of image: NamedImage, or name: String) async throws -> SavedFile {
    if let path, !isFolder(path) { return SavedFile(path: path) }
    let facts = ImageFacts(bytes: try await section(.metadata, of: image, before: .data))
    let own = SavedFile.name(of: facts, shortID: name)
    return SavedFile(path: path.map { $0.hasSuffix("/") ? $0 + own : "\($0)/\(own)" } ?? own)
  }

  private func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Writes an image to standard output. Nobody takes a byte back there: all of it is looked at before the first goes out.
  func print(_ image: NamedImage) async throws {
    _ = try await write(image) { NoSink() }
    var output = OpenFile(descriptor: STDOUT_FILENO)
    do {
      guard try database.diskStore.data(of: image.image.file, into: &output) else { throw StoreError.disk }
    } catch is ReaderGone {}
  }

  /// Writes a draft beside the file, which gets its name once it is whole: nobody ever sees a half.
  func save(_ image: NamedImage, as target: SavedFile, force: Bool) async throws {
    try target.requireRoom()
    try await fetch(.data, of: image)
    do {
      let draft = try await Interruption.ending { [self] in
        try await write(image) { try target.open() }
      }
      try draft.keep()
      try target.take(force: force)
    } catch {
      unlink(target.draft)
      throw error
    }
  }
}
