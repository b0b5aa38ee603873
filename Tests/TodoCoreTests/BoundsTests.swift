import CloudAPI
import Sealing
import Testing

@testable import TodoCore

/// A section fits into a page, whatever is joined, and nobody's words go without a trace.
struct BoundsTests {
  private let alice = Replica.numbered(1)
  private let bob = Replica.numbered(2)

  @Test func overwrittenValuesAreRememberedUpToALimit() throws {
    var content = VersionedDocument()
    for number in 0...40 {
      try content.change { try $0.write(1, [UInt8(number)], now: Int64(200 + number), replica: alice) }
    }
    #expect(content.history.overwritten.count == History.limit)
    #expect(content.history.overwritten.last?.value == [39])
    #expect(content.history.overwritten.first?.value == [8])
  }

  @Test func theLoserOfAJoinIsRemembered() throws {
    var shared = VersionedDocument()
    try shared.change { try $0.write(.title, Array("milk".utf8), now: 100, replica: alice) }
    var (a, b) = (shared, shared)
    try a.change { try $0.write(.title, Array("oat milk".utf8), now: 200, replica: alice) }
    try b.change { try $0.write(.title, Array("soy milk".utf8), now: 201, replica: bob) }
    let joined = a.joined(b)
    #expect(joined.document.title == "soy milk")
    #expect(joined.history.overwritten.map { String(decoding: $0.value, as: UTF8.self) } == ["milk", "oat milk"])
  }

  @Test func whereSomethingStoodIsNotRemembered() throws {
    var content = VersionedDocument()
    for number in 0..<UInt8(3) { try content.change { try $0.write(.order, [number], now: 1, replica: alice) } }
    #expect(content.history.overwritten.isEmpty)
  }

  /// The largest that each part may be, all at once.
  @Test func theLargestDocumentFitsIntoAPage() throws {
    func stamp(_ number: Int) -> Stamp {
      Stamp(
        time: .max - UInt64(number),
        replica: Replica(bytes: bigEndian(UInt64(number) &* 0x9E37_79B9_7F4A_7C15)) ?? alice)
    }
    let registers = Bounds.fields.map { field in
      Register(
        field: field,
        value: [UInt8](repeating: 7, count: field == 1 ? Bounds.textBytes : Bounds.valueBytes), stamp: stamp(Int(field))
      )
    }
    let elements = (0..<40).map { number in
      Register(field: 16, value: [UInt8](repeating: 7, count: 8_000), stamp: stamp(number))
    }
    let context = CausalContext((0..<500).map(stamp))
    var content = VersionedDocument(
      Document(
        registers: registers, elements: elements, context: context, deleted: context,
        unknown: [0x7A, 0xFD, 0x07] + [UInt8](repeating: 0, count: 1021)))
    content.fit()
    #expect(content.document.elements.count == 2)
    #expect(content.document.elements.last == elements.first)
    #expect(content.history.overwritten.count == 3)
    #expect(content.document.context.stamps.count == CausalContext.limit)
    let read = try Document(bytes: content.document.bytes)
    #expect(read == content.document)
    #expect(Padding.pad(content.document.bytes).count + 40 <= Limits.contentBytes)
    #expect(Padding.pad(content.history.bytes).count + 40 <= Limits.contentBytes)
    let fitted = content
    content.fit()
    #expect(content == fitted)
  }

  @Test func whatNoVersionWritesIsRefused() throws {
    func bytes(_ field: UInt32, _ count: Int, asElement: Bool = false) -> [UInt8] {
      let register = Register(
        field: field, value: [UInt8](repeating: 1, count: count), stamp: Stamp(time: 1, replica: alice))
      return Document(
        registers: asElement ? [] : [register], elements: asElement ? [register] : [], context: CausalContext(),
        deleted: CausalContext(), unknown: []
      ).bytes
    }
    for (field, count, asElement) in [
      (64, 1, false), (0, 1, false), (1, 10_001, false), (2, 129, false), (17, 10_001, true),
    ] {
      #expect(throws: DocumentError.malformed) {
        try Document(bytes: bytes(UInt32(field), count, asElement: asElement))
      }
    }
    #expect((try? Document(bytes: bytes(63, 128))) != nil)
    #expect((try? Document(bytes: bytes(17, 10_000, asElement: true))) != nil)
    #expect(throws: DocumentError.malformed) { try Document(bytes: [0xFF]) }
    #expect(throws: DocumentError.malformed) { try History(bytes: [0x0A, 0x7F]) }
    #expect((try? Document(bytes: [])) == Document())
  }

  /// More replicas than a context names: what was removed stays so, and whoever writes now is seen.
  @Test func aFullContextForgetsTheOldest() throws {
    var document = Document()
    try document.add(17, [1], now: 1, replica: alice)
    let before = document
    document.remove { _ in true }
    for number in 0..<CausalContext.limit {
      let replica = Replica(bytes: bigEndian(UInt64(number) << 8 | 0xFF)) ?? alice
      try document.write(2, [], now: Int64(number + 10), replica: replica)
    }
    #expect(document.context[alice] == nil)
    #expect(document.joined(before).elements.isEmpty)
    try document.add(17, [2], now: 1, replica: alice)
    #expect(document.joined(before).elements.map(\.value) == [[2]])
  }
}
