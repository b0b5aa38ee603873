import CloudAPI
import Sealing
import Signing
import SwiftProtobuf

extension FileKey {
  /// Reads what a node's metadata has of a file.
  init(_ wire: SealedFileKey) throws(Refusal) {
    let key = FileKey(
      secret: SecretBytes(Array(wire.key)), header: Array(wire.header), metadata: try fixed(wire.metadata),
      thumbnail: try fixed(wire.thumbnail), data: try fixed(wire.data))
    guard let key else { throw .malformed }
    self = key
  }

  /// What goes into a node's metadata.
  var wire: SealedFileKey {
    SealedFileKey.with { wire in
      wire.key = CloudAPI.data(secret.copied())
      wire.header = CloudAPI.data(header)
      wire.metadata = CloudAPI.data(metadata.bytes)
      wire.thumbnail = CloudAPI.data(thumbnail.bytes)
      wire.data = CloudAPI.data(data.bytes)
    }
  }
}

extension Refusal {
  /// The same words.
  init(_ fault: FileFault) {
    self =
      switch fault {
      case .contentMismatch: .contentMismatch
      case .contentUnopenable: .contentUnopenable
      case .contentMissing: .contentMissing
      case .malformed: .malformed
      case .suiteUnknown: .suiteUnknown
      }
  }
}
