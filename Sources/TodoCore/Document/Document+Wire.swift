import CloudAPI
import SwiftProtobuf

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Bytes that are no document. Nothing else can be wrong with one: every field merges, known or not.
public enum DocumentError: Error, Equatable, Sendable {
  case malformed
}

extension Document {
  /// Reads what `bytes` writes, and what other versions write.
  public init(bytes: [UInt8]) throws(DocumentError) {
    guard let wire = try? SealedDocument(serializedBytes: bytes) else { throw .malformed }
    let stamps = wire.registers.map(\.stamp) + wire.context + wire.deleted
    guard stamps.allSatisfy({ $0.replica.count == Stamp.replicaLength }) else { throw .malformed }
    self.init(
      registers: wire.registers.map(Register.init),
      context: CausalContext(wire.context.map(Stamp.init)),
      deleted: CausalContext(wire.deleted.map(Stamp.init)),
      unknown: Array(wire.unknownFields.data))
  }

  /// The canonical encoding: registers by field, stamps by replica, no default values.
  public var bytes: [UInt8] {
    var wire = SealedDocument()
    wire.registers = registers.map(\.wire)
    wire.context = context.stamps.map(\.wire)
    wire.deleted = deleted.stamps.map(\.wire)
    return encode(wire) + unknownBytes
  }
}

extension History {
  /// Reads what `bytes` writes.
  public init(bytes: [UInt8]) throws(DocumentError) {
    guard let wire = try? SealedHistory(serializedBytes: bytes) else { throw .malformed }
    self.init(wire.overwritten.map(Register.init))
  }

  /// The canonical encoding: oldest first.
  public var bytes: [UInt8] {
    var wire = SealedHistory()
    wire.overwritten = overwritten.map(\.wire)
    return encode(wire)
  }
}

extension Register {
  fileprivate init(_ wire: SealedRegister) {
    self.init(field: wire.field, value: Array(wire.value), stamp: Stamp(wire.stamp))
    unknown = Array(wire.unknownFields.data)
  }

  fileprivate var wire: SealedRegister {
    var wire = SealedRegister()
    wire.field = field
    wire.value = Data(value)
    wire.stamp = stamp.wire
    if !unknown.isEmpty { try? wire.merge(serializedBytes: unknown) }
    return wire
  }
}

extension Stamp {
  fileprivate init(_ wire: SealedStamp) {
    self.init(time: wire.time, replica: Array(wire.replica))
  }

  fileprivate var wire: SealedStamp {
    var wire = SealedStamp()
    wire.time = time
    wire.replica = Data(replica)
    return wire
  }
}
