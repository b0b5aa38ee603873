package import Foundation
package import Signing
package import SwiftProtobuf

/// Encodes a message of ours; it has no required fields, so encoding cannot fail.
package func encode(_ message: some SwiftProtobuf.Message) -> [UInt8] {
  (try? message.serializedBytes()) ?? []
}

/// Decodes a message or refuses it as malformed.
package func decode<M: SwiftProtobuf.Message>(_ type: M.Type, _ bytes: [UInt8]) throws(Refusal) -> M {
  guard let message = try? M(serializedBytes: bytes) else { throw .malformed }
  return message
}

/// Decodes a record's body; one with many fields that nobody here knows is malformed: what is in them is kept for ever, and nobody looks at it.
func decodeRecord<M: SwiftProtobuf.Message>(_ type: M.Type, _ bytes: [UInt8]) throws(Refusal) -> M {
  let message = try decode(type, bytes)
  guard bytes.count > Limits.unknownBytes else { return message }
  var unknown = UnknownFields()
  guard (try? message.traverse(visitor: &unknown)) != nil, unknown.bytes <= Limits.unknownBytes else {
    throw .malformed
  }
  return message
}

package func data(_ bytes: [UInt8]) -> Data { Data(bytes) }

/// Reads an id or hash of the right length, or refuses the record.
package func fixed<Value: FixedBytes>(_ data: Data) throws(Refusal) -> Value {
  guard let value = Value(bytes: data) else { throw .malformed }
  return value
}

/// The same where an empty field means that there is none.
package func optional<Value: FixedBytes>(_ data: Data) throws(Refusal) -> Value? {
  if data.isEmpty { return nil }
  let value: Value = try fixed(data)
  return value
}

/// Reads a counter of lines, versions or epochs. One beyond `Limits.counter` is malformed, so whoever adds to it stays in range.
package func counter(_ value: UInt64) throws(Refusal) -> UInt64 {
  guard value <= Limits.counter else { throw .malformed }
  return value
}

func requireSuite(_ suite: UInt32) throws(Refusal) {
  guard suite == 1 || Defence.suite.isDown else { throw .suiteUnknown }
}
