import Sealing
import TodoCore
import Treesystem

/// A picture that lies sealed on this disk. It is nobody's until a todo has it.
struct SealedPicture {
  let picture: AttachedPicture
  let file: NodeFile
}

extension Session {
  /// Looks through a picture, and seals it onto this disk. With Ctrl-C nothing of it stays.
  func seal(_ path: String, keepsMetadata: Bool) async throws -> SealedPicture {
    let line = ProgressLine(voice, "looking through the picture")
    do {
      return try await Interruption.ending { [self] in
        try await line.shown {
          let picture = try AttachedPicture(PictureFile(path: path), keepsMetadata: keepsMetadata)
          try Task.checkCancellation()
          return SealedPicture(picture: picture, file: try store(picture))
        }
      } orElse: { [voice] in
        line.clear()
        voice.complain(Complaint.notAttached)
      }
    } catch is CancellationError {
      throw Complaint.notAttached
    }
  }

  private func store(_ picture: AttachedPicture) throws -> NodeFile {
    try settleDiskLimits()
    var source = InterruptibleSource(file: MemoryFile(picture.bytes))
    return try database.diskStore.store(
      metadata: picture.facts.bytes, thumbnail: picture.thumbnail, data: &source, size: UInt64(picture.bytes.count),
      after: config.imageAfterUpload)
  }
}

/// A source that ends with its task.
private struct InterruptibleSource: FileSource {
  var file: MemoryFile

  mutating func read(_ count: Int) throws -> [UInt8] {
    try Task.checkCancellation()
    return file.read(count)
  }

  mutating func read(into buffer: inout [UInt8], at range: Range<Int>) throws -> Int {
    try Task.checkCancellation()
    return file.read(into: &buffer, at: range)
  }
}

extension Complaint {
  fileprivate static let notAttached = Complaint(
    "interrupted", .interrupted, "interrupted", hint: "nothing was attached")
}
