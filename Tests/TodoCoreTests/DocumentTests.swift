import Testing

@testable import TodoCore

struct DocumentTests {
  private let alice = Replica.numbered(1)
  private let bob = Replica.numbered(2)

  private func milk() throws -> Document {
    var document = Document()
    try document.write(.title, Array("milk".utf8), now: 100, replica: alice)
    return document
  }

  @Test func aLocalStampIsLaterThanEverythingSeen() throws {
    var document = try milk()
    try document.write(2, [], now: 5, replica: bob)
    #expect(document[2]?.stamp == Stamp(time: 101, replica: bob))
    try document.write(2, [], now: 500, replica: bob)
    #expect(document[2]?.stamp.time == 500)
    try document.write(2, [], now: 500, replica: bob)
    #expect(document[2]?.stamp.time == 501)
    try document.write(2, [], now: -3, replica: bob)
    #expect(document[2]?.stamp.time == 502)
  }

  /// A context that is full forgets what it never saw; nobody hides with one what was not sent.
  @Test func aFullContextHidesNothingThatWasNotSent() throws {
    var local = try milk()
    try local.add(Field.note.rawValue, Array("ask the doctor".utf8), now: 200, replica: alice)
    var claim = try milk()
    for number in 0..<UInt64(CausalContext.limit) {
      claim.context.add(Stamp(time: 90_000, replica: try #require(Replica(bytes: bigEndian(1000 + number)))))
    }
    #expect(local.joined(claim).elements.isEmpty)
    local.restamp(alice, after: 100, beyond: claim, now: 300)
    #expect(local.joined(claim).elements.map(\.value) == [Array("ask the doctor".utf8)])
    #expect(local.joined(claim).title == "milk")
  }

  /// Also than what a removal or a deletion has seen and nothing bears any more.
  @Test func aLocalStampIsLaterThanWhatIsGone() throws {
    var document = try milk()
    try document.add(17, [1], now: 900, replica: bob)
    document.remove { $0.field == 17 }
    try document.write(2, [], now: 5, replica: alice)
    #expect(document[2]?.stamp.time == 901)
    var hostile = Document(
      registers: [], context: CausalContext(),
      deleted: CausalContext([Stamp(time: 7000, replica: alice)]), unknown: [])
    try hostile.write(1, [1], now: 5, replica: alice)
    #expect(!hostile.isDeleted)
  }

  @Test func atTheEndOfTimeNobodyWritesAndNothingBreaks() throws {
    var document = Document(
      registers: [Register(field: 1, value: [], stamp: Stamp(time: .max, replica: alice))], context: CausalContext(),
      deleted: CausalContext(), unknown: [])
    let before = document
    #expect(throws: DocumentError.endOfTime) { try document.write(1, [7], now: 5, replica: bob) }
    #expect(throws: DocumentError.endOfTime) { try document.add(17, [7], now: 5, replica: bob) }
    #expect(document == before)
    #expect(document.joined(try milk())[1]?.stamp.time == .max)
    document.delete()
    #expect(document.isDeleted)
  }

  @Test func stampsAreNotAlteredOnReceipt() throws {
    let far = Stamp(time: 1 << 63, replica: bob)
    let remote = Document(
      registers: [Register(field: 1, value: [1], stamp: far)], context: CausalContext(), deleted: CausalContext(),
      unknown: [])
    let joined = try milk().joined(remote)
    #expect(joined[1]?.stamp == far)
    #expect(try Document(bytes: joined.bytes)[1]?.stamp == far)
  }

  @Test func anEditBeatsAConcurrentDelete() throws {
    let shared = try milk()
    var gone = shared
    gone.delete()
    #expect(gone.isDeleted)
    var edited = shared
    try edited.write(.title, Array("oat milk".utf8), now: 90, replica: bob)
    let joined = gone.joined(edited)
    #expect(!joined.isDeleted)
    #expect(joined.title == "oat milk")
    #expect(joined == edited.joined(gone))
    var tagged = shared
    try tagged.add(17, [1], now: 90, replica: bob)
    #expect(!gone.joined(tagged).isDeleted)
  }

  @Test func aDeleteOfWhatWasSeenStays() throws {
    var document = try milk()
    document.delete()
    #expect(document.joined(try milk()).isDeleted)
  }

  @Test func whatWasRemovedCanBeRestored() throws {
    var document = try milk()
    document.delete()
    let gone = document
    try document.restore(now: 50, replica: bob)
    #expect(!document.isDeleted)
    #expect(!gone.joined(document).isDeleted)
    #expect(document.title == "milk")
    document.delete()
    #expect(document.isDeleted)
  }

  @Test func aDocumentThatNobodyDeletedIsNotDeleted() {
    #expect(!Document().isDeleted)
    var document = Document()
    document.delete()
    #expect(!document.isDeleted)
  }

  @Test func aTagThatSomebodyAddsBeatsItsRemoval() throws {
    var shared = try milk()
    try shared.add(17, Array("dairy".utf8), now: 200, replica: alice)
    var without = shared
    without.remove { $0.field == 17 }
    #expect(without.joined(shared).tags == [])
    var again = shared
    again.remove { $0.field == 17 }
    try again.add(17, Array("dairy".utf8), now: 201, replica: bob)
    #expect(without.joined(again).tags == ["dairy"])
    #expect(again.joined(without).tags == ["dairy"])
  }

  @Test func notesThatWereWrittenAtTheSameTimeBothStay() throws {
    func noted(_ text: String, _ now: Int64, _ replica: Replica, on document: Document) throws -> Document {
      var document = document
      document.remove { $0.field == Field.note.rawValue }
      try document.add(Field.note.rawValue, Array(text.utf8), now: now, replica: replica)
      return document
    }
    let shared = try noted("2 litres", 200, alice, on: milk())
    let a = try noted("3 litres", 300, alice, on: shared)
    let b = try noted("not the red one", 301, bob, on: shared)
    let joined = a.joined(b)
    #expect(joined.notes == ["not the red one", "3 litres"])
    #expect(joined.joined(shared).notes.count == 2)
    #expect(try noted("3 litres, not the red one", 302, bob, on: joined).joined(a).joined(b).notes.count == 1)
    #expect(VersionedDocument(shared).joined(VersionedDocument(a)).history.overwritten.map(\.field) == [16])
  }

  @Test func fieldsReadWhatTheyWrite() throws {
    var document = try milk()
    #expect(document.doneAt == nil)
    try document.write(.done, timeValue(1_790_000_000_123), now: 300, replica: alice)
    #expect(document.doneAt == 1_790_000_000_123)
    try document.write(.done, [], now: 301, replica: alice)
    #expect(document.doneAt == nil)
    try document.write(.done, [UInt8](repeating: 0xFF, count: 8), now: 302, replica: alice)
    #expect(document.doneAt == .max)
    #expect(document.kind == nil)
    #expect(!document.isArchived)
    try document.write(.archived, [0x31], now: 303, replica: alice)
    #expect(document.isArchived)
  }
}

extension Replica {
  /// A replica id that is easy to tell from others.
  static func numbered(_ number: UInt8) -> Replica {
    Replica(bytes: [UInt8](repeating: number, count: Replica.length)) ?? { preconditionFailure("8 bytes") }()
  }
}
