public import CloudAPI
import Signing
import Synchronization

/// One part of a file while it comes in: hashed and written, never in memory as a whole. Whatever is wrong with it, its bytes are taken,
/// and the answer says so when they have come: whoever is still sending would not hear it before.
public final class PartArrival: Sendable {
  /// Which part it is, and of what.
  struct Part {
    let user: UserID
    let content: ContentID
    let layout: FileLayout
    let number: UInt64
    /// Of its bytes, as it is signed.
    let digest: String
  }

  private struct State: ~Copyable {
    let part: Part
    let writer: any BlobWriter
    var leaves: PartHasher
    var digest: ContentHasher
  }

  private let cloud: Cloud
  private let state: Mutex<State?>
  private let failure: Mutex<(any Error)?>

  init(_ cloud: Cloud, _ admit: () throws -> Part) {
    self.cloud = cloud
    do {
      let part = try admit()
      let leaves = try PartHasher(part.number, of: FileParts(of: part.layout))
      let state = State(part: part, writer: try cloud.blobs.begin(), leaves: leaves, digest: ContentHasher())
      self.state = Mutex(state)
      failure = Mutex(nil)
    } catch {
      state = Mutex(nil)
      failure = Mutex(error)
    }
  }

  /// Takes the next bytes.
  public func take(_ bytes: [UInt8]) {
    do {
      try state.withLock { state in
        state?.digest.update(bytes)
        try state?.leaves.update(bytes)
        try state?.writer.write(bytes)
      }
    } catch {
      failure.withLock { $0 = error }
      cancel()
    }
  }

  /// All bytes have come: keeps the part, if it is what it was said to be, and answers.
  public func finish() -> CloudResponse {
    defer { cancel() }
    return cloud.answering {
      if let failure = failure.withLock({ $0 }) { throw failure }
      try state.withLock { state in
        guard let arrived = state.take() else { return }
        try Self.keep(arrived, in: cloud)
      }
      return CloudResponse(status: 204)
    }
  }

  private static func keep(_ arrived: consuming State, in cloud: Cloud) throws {
    let (part, writer) = (arrived.part, arrived.writer)
    do {
      guard RequestSignature.digest(arrived.digest.finish()) == part.digest else { throw Refusal.digestWrong }
      let leaves = try arrived.leaves.finish()
      try writer.finish()
      try cloud.keep(part, leaves: leaves.flatMap(\.bytes), writer)
    } catch {
      writer.discard()
      throw error
    }
  }

  /// Nothing more comes. What was not kept goes.
  public func cancel() {
    state.withLock { state in
      guard let arrived = state.take() else { return }
      arrived.writer.discard()
    }
  }
}
