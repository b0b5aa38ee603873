import Testing

@testable import TodoCore

struct DocumentTests {
  private let alice: [UInt8] = [1]
  private let bob: [UInt8] = [2]

  private func milk() -> VersionedDocument {
    var content = VersionedDocument()
    content.write(.title, Array("milk".utf8), now: 100, replica: alice)
    return content
  }

  @Test func aLocalStampIsLaterThanEverythingSeen() {
    var document = milk().document
    document.write(2, [], now: 5, replica: bob)
    #expect(document[2]?.stamp == Stamp(time: 101, replica: bob))
    document.write(2, [], now: 500, replica: bob)
    #expect(document[2]?.stamp.time == 500)
    document.write(2, [], now: 500, replica: bob)
    #expect(document[2]?.stamp.time == 501)
  }

  @Test func aStampAtTheEndOfTimeBreaksNothing() {
    var document = Document(
      registers: [Register(field: 1, value: [], stamp: Stamp(time: .max, replica: alice))], context: CausalContext(),
      deleted: CausalContext(), unknown: [])
    document.write(1, [7], now: 5, replica: bob)
    #expect(document[1]?.stamp.time == .max)
    #expect(document[1]?.value == [7])
  }

  @Test func anEditBeatsAConcurrentDelete() {
    let shared = milk()
    var gone = shared
    gone.delete()
    #expect(gone.document.isDeleted)
    var edited = shared
    edited.write(.title, Array("oat milk".utf8), now: 90, replica: bob)
    let joined = gone.joined(edited)
    #expect(!joined.document.isDeleted)
    #expect(joined.document.title == "oat milk")
    #expect(joined == edited.joined(gone))
  }

  @Test func aDeleteOfWhatWasSeenStays() {
    var content = milk()
    content.delete()
    #expect(content.joined(milk()).document.isDeleted)
  }

  @Test func whatWasRemovedCanBeRestored() {
    var content = milk()
    content.delete()
    let gone = content
    content.restore(now: 50, replica: bob)
    #expect(!content.document.isDeleted)
    #expect(!gone.joined(content).document.isDeleted)
    #expect(content.document.title == "milk")
    content.delete()
    #expect(content.document.isDeleted)
  }

  @Test func aDocumentThatNobodyDeletedIsNotDeleted() {
    #expect(!Document().isDeleted)
    var document = Document()
    document.delete()
    #expect(!document.isDeleted)
  }

  @Test func overwrittenValuesAreRemembered() {
    var content = milk()
    for number in 0..<40 { content.write(.title, [UInt8(number)], now: Int64(200 + number), replica: alice) }
    #expect(content.history.overwritten.count == History.limit)
    #expect(content.history.overwritten.last?.value == [38])
    #expect(content.history.overwritten.first?.value == [7])
  }

  @Test func theLoserOfAJoinIsRemembered() {
    let shared = milk()
    var (a, b) = (shared, shared)
    a.write(.title, Array("oat milk".utf8), now: 200, replica: alice)
    b.write(.title, Array("soy milk".utf8), now: 201, replica: bob)
    let joined = a.joined(b)
    #expect(joined.document.title == "soy milk")
    #expect(joined.history.overwritten.map { String(decoding: $0.value, as: UTF8.self) } == ["milk", "oat milk"])
  }

  @Test func fieldsReadWhatTheyWrite() {
    var content = milk()
    #expect(content.document.doneAt == nil)
    content.write(.done, timeValue(1_790_000_000_123), now: 300, replica: alice)
    #expect(content.document.doneAt == 1_790_000_000_123)
    content.write(.done, [], now: 301, replica: alice)
    #expect(content.document.doneAt == nil)
    content.write(.done, [UInt8](repeating: 0xFF, count: 8), now: 302, replica: alice)
    #expect(content.document.doneAt == .max)
    #expect(content.document.kind == nil)
  }
}
