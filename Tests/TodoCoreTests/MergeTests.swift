import Testing

@testable import TodoCore

/// What other versions write survives, and what is written is read again. The laws of join: LawTests.
struct MergeTests {
  @Test func whatNoVersionKnowsSurvives() throws {
    var register = Register(field: 47, value: [1, 2, 3], stamp: Stamp(time: 5, replica: .numbered(9)))
    register.unknown = [0x48, 0x05]
    var element = Register(field: 48, value: [1], stamp: Stamp(time: 6, replica: .numbered(9)))
    element.unknown = [0x48, 0x06]
    let newer = Document(
      registers: [register], elements: [element], context: CausalContext(), deleted: CausalContext(),
      unknown: [0x78, 0x01])
    var older = Document()
    try older.write(1, Array("milk".utf8), now: 1, replica: .numbered(1))
    let joined = try Document(bytes: older.joined(newer).bytes)
    #expect(joined[47] == register)
    #expect(joined.elements == [element])
    #expect(joined.unknown == [0x78, 0x01])
    #expect(joined.title == "milk")
  }

  @Test func encodingIsCanonical() throws {
    let stamps = [(1, 9), (2, 3), (1, 3)].map { Stamp(time: $0.0, replica: .numbered($0.1)) }
    let elements = stamps.map { Register(field: 17, value: [1], stamp: $0) }
    let registers = [9, 3, 5].map { Register(field: $0, value: [], stamp: stamps[0]) }
    let document = Document(
      registers: registers, elements: elements, context: CausalContext(), deleted: CausalContext(), unknown: [])
    let reversed = Document(
      registers: registers.reversed(), elements: elements.reversed() + elements,
      context: CausalContext(stamps.reversed()), deleted: CausalContext(), unknown: [])
    #expect(document.bytes == reversed.bytes)
    #expect(document.elements.map(\.stamp) == stamps.sorted())
    #expect(document.registers.map(\.field) == [3, 5, 9])
    #expect(try Document(bytes: document.bytes) == document)
  }
}
