import CloudAPI
import SwiftProtobuf

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What can be wrong with a document. Nothing else can: every field merges, known or not.
public enum DocumentError: Error, Equatable, Sendable {
  /// Bytes that are no document, or larger than any version writes them.
  case malformed
  /// Its stamps have reached the end of time, so nobody can write it any more; it can still be deleted.
  case endOfTime
}

extension Document {
  /// Reads what `bytes` writes, and what other versions write.
  public init(bytes: [UInt8]) throws(DocumentError) {
    guard let wire = try? SealedDocument(serializedBytes: bytes) else { throw .malformed }
    self.init(
      registers: try Register.all(wire.registers), elements: try Register.all(wire.elements),
      context: CausalContext(try Stamp.all(wire.context)), deleted: CausalContext(try Stamp.all(wire.deleted)),
      unknown: Array(wire.unknownFields.data))
    guard isWithinBounds else { throw .malformed }
  }

  /// The canonical encoding: registers by field, elements and stamps in order, no default values.
  public var bytes: [UInt8] {
    var wire = SealedDocument()
    wire.registers = registers.map(\.wire)
    wire.context = context.stamps.map(\.wire)
    wire.deleted = deleted.stamps.map(\.wire)
    wire.elements = elements.map(\.wire)
    return unknown.isEmpty ? encode(wire) : encode(wire) + unknown
  }
}

extension History {
  /// Reads what `bytes` writes.
  public init(bytes: [UInt8]) throws(DocumentError) {
    self.init()
    if bytes.isEmpty { return }
    guard let wire = try? SealedHistory(serializedBytes: bytes) else { throw .malformed }
    let registers = try Register.all(wire.overwritten)
    guard registers.allSatisfy(\.isText) else { throw .malformed }
    add(registers)
  }

  /// The canonical encoding: oldest first.
  public var bytes: [UInt8] {
    if overwritten.isEmpty { return [] }
    var wire = SealedHistory()
    wire.overwritten = overwritten.map(\.wire)
    return encode(wire)
  }
}

extension Register {
  fileprivate static func all(_ wire: [SealedRegister]) throws(DocumentError) -> [Register] {
    var registers: [Register] = []
    registers.reserveCapacity(wire.count)
    for register in wire {
      var read = Register(field: register.field, value: Array(register.value), stamp: try Stamp(register.stamp))
      if !register.unknownFields.data.isEmpty { read.unknown = Array(register.unknownFields.data) }
      registers.append(read)
    }
    return registers
  }

  fileprivate var wire: SealedRegister {
    var wire = SealedRegister()
    wire.field = field
    if !value.isEmpty { wire.value = Data(value) }
    wire.stamp = stamp.wire
    if !unknown.isEmpty { try? wire.merge(serializedBytes: unknown) }
    return wire
  }
}

extension Stamp {
  fileprivate static func all(_ wire: [SealedStamp]) throws(DocumentError) -> [Stamp] {
    var stamps: [Stamp] = []
    for stamp in wire { stamps.append(try Stamp(stamp)) }
    return stamps
  }

  fileprivate init(_ wire: SealedStamp) throws(DocumentError) {
    guard let replica = Replica(bytes: wire.replica) else { throw .malformed }
    self.init(time: wire.time, replica: replica)
  }

  fileprivate var wire: SealedStamp {
    var wire = SealedStamp()
    wire.time = time
    wire.replica = Data(replica.bytes)
    return wire
  }
}
