import Foundation
import SwiftProtobuf

/// How many bytes of a message, and of those in it, are in fields that this program does not know.
struct UnknownFields: Visitor {
  private(set) var bytes = 0

  mutating func visitUnknown(bytes: Data) { self.bytes += bytes.count }

  mutating func visitSingularMessageField<M: Message>(value: M, fieldNumber: Int) throws {
    try value.traverse(visitor: &self)
  }

  // What is known takes no part.
  func visitSingularDoubleField(value: Double, fieldNumber: Int) {}
  func visitSingularInt64Field(value: Int64, fieldNumber: Int) {}
  func visitSingularUInt64Field(value: UInt64, fieldNumber: Int) {}
  func visitSingularBoolField(value: Bool, fieldNumber: Int) {}
  func visitSingularStringField(value: String, fieldNumber: Int) {}
  func visitSingularBytesField(value: Data, fieldNumber: Int) {}
  func visitSingularEnumField<E: Enum>(value: E, fieldNumber: Int) {}
  func visitMapField<Key, Value: MapValueType>(
    fieldType: _ProtobufMap<Key, Value>.Type, value: _ProtobufMap<Key, Value>.BaseType, fieldNumber: Int
  ) {}
  func visitMapField<Key, Value>(
    fieldType: _ProtobufEnumMap<Key, Value>.Type, value: _ProtobufEnumMap<Key, Value>.BaseType, fieldNumber: Int
  ) where Value.RawValue == Int {}
  func visitMapField<Key, Value>(
    fieldType: _ProtobufMessageMap<Key, Value>.Type, value: _ProtobufMessageMap<Key, Value>.BaseType, fieldNumber: Int
  ) {}
}
