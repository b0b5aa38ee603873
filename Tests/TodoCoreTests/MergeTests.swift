import Testing

@testable import TodoCore

/// The laws of docs/spec/07-documents.md, attacked with documents that nobody would write.
struct MergeTests {
  /// Few fields, replicas, times and values, so that they collide.
  private static func arbitrary(_ dice: inout Dice) -> Document {
    func stamps() -> [Stamp] {
      (0..<dice.roll(0..<4)).map { _ in stamp() }
    }
    func stamp() -> Stamp {
      Stamp(
        time: [0, 1, 2, 3, .max][dice.roll(0..<5)],
        replica: [id(1), id(2), id(2).dropLast() + [0], id(0)][dice.roll(0..<4)])
    }
    var registers: [Register] = []
    for _ in 0..<dice.roll(0..<5) {
      var register = Register(
        field: UInt32([1, 2, 3, 99][dice.roll(0..<4)]), value: [UInt8](repeating: 7, count: dice.roll(0..<3)),
        stamp: stamp())
      // A field 9 of the register that no version knows yet: tag 0x48, one byte.
      if dice.roll(0..<4) == 0 { register.unknown = [0x48, UInt8(dice.roll(0..<3))] }
      registers.append(register)
    }
    return Document(
      registers: registers, context: CausalContext(stamps()), deleted: CausalContext(stamps()),
      unknown: dice.roll(0..<3) == 0 ? [0x78, UInt8(dice.roll(0..<3))] : [])
  }

  private static func arbitraryVersioned(_ dice: inout Dice) -> VersionedDocument {
    VersionedDocument(arbitrary(&dice), history: History(arbitrary(&dice).registers))
  }

  @Test func joinIsCommutativeAssociativeAndIdempotent() {
    var dice = Dice(1)
    for _ in 0..<20_000 {
      let (a, b, c) = (Self.arbitrary(&dice), Self.arbitrary(&dice), Self.arbitrary(&dice))
      #expect(a.joined(b) == b.joined(a))
      #expect(a.joined(b).joined(c) == a.joined(b.joined(c)))
      #expect(a.joined(a) == a)
      #expect(a.joined(b).joined(b) == a.joined(b))
    }
  }

  @Test func theSameHoldsWithHistory() {
    var dice = Dice(2)
    for _ in 0..<10_000 {
      let (a, b, c) = (
        Self.arbitraryVersioned(&dice), Self.arbitraryVersioned(&dice), Self.arbitraryVersioned(&dice)
      )
      #expect(a.joined(b) == b.joined(a))
      #expect(a.joined(b).joined(c) == a.joined(b.joined(c)))
      #expect(a.joined(a) == a)
      #expect(a.joined(b).joined(b) == a.joined(b))
    }
  }

  @Test func encodingIsCanonicalAndLosesNothing() throws {
    var dice = Dice(3)
    for _ in 0..<5_000 {
      let (a, b) = (Self.arbitrary(&dice), Self.arbitrary(&dice))
      let joined = a.joined(b)
      #expect(try Document(bytes: joined.bytes) == joined)
      #expect(joined.bytes == b.joined(a).bytes)
      let history = History(a.registers + b.registers)
      #expect(try History(bytes: history.bytes) == history)
    }
  }

  @Test func whatNoVersionKnowsSurvives() throws {
    var register = Register(field: 4711, value: [1, 2, 3], stamp: Stamp(time: 5, replica: id(9)))
    register.unknown = [0x48, 0x05]
    let newer = Document(
      registers: [register], context: CausalContext(), deleted: CausalContext(), unknown: [0x78, 0x01])
    var older = Document()
    older.write(1, Array("milk".utf8), now: 1, replica: id(1))
    let joined = try Document(bytes: older.joined(newer).bytes)
    #expect(joined[4711] == register)
    #expect(joined.unknownBytes == [0x78, 0x01])
    #expect(joined.title == "milk")
  }

  @Test func bytesThatAreNoDocumentAreRefused() {
    #expect(throws: DocumentError.malformed) { try Document(bytes: [0xFF]) }
    #expect(throws: DocumentError.malformed) { try History(bytes: [0x0A, 0x7F]) }
    #expect((try? Document(bytes: [])) == Document())
  }

  /// Random people with wrong clocks, who edit, delete, restore and meet: everyone ends with the same.
  @Test func replicasThatMetEachOtherAgree() {
    for seed in 0..<200 {
      var dice = Dice(UInt64(seed))
      var replicas = [VersionedDocument](repeating: VersionedDocument(), count: 4)
      for step in 0..<40 {
        let who = dice.roll(0..<4)
        let now = Int64(step + dice.roll(0..<50))
        switch dice.roll(0..<5) {
        case 0: replicas[who].delete()
        case 1: replicas[who].restore(now: now, replica: id(UInt8(who)))
        case 2: replicas[who] = replicas[who].joined(replicas[dice.roll(0..<4)])
        default:
          replicas[who].write(UInt32(dice.roll(1..<4)), [UInt8(step)], now: now, replica: id(UInt8(who)))
        }
      }
      let forwards = replicas.dropFirst().reduce(replicas[0]) { $0.joined($1) }
      let backwards = replicas.dropLast().reversed().reduce(replicas[3]) { $0.joined($1) }
      #expect(forwards == backwards, "seed \(seed)")
    }
  }
}

/// A replica id that is easy to tell from others.
private func id(_ number: UInt8) -> [UInt8] { [UInt8](repeating: number, count: Stamp.replicaLength) }
