import Sealing
import Testing

@testable import SealedDisk

/// Where things lie in a sealed file (spec §9.3, §9.4).
struct LayoutTests {
  @Test func pagesAndFramesLieWhereTheSpecSays() {
    let database = UnitLayout(file: .database)
    #expect(database.unit(at: 0) == .init(file: .database, number: 0, start: 0, length: 4096, place: 64))
    #expect(database.unit(at: 4095).number == 0)
    #expect(database.unit(at: 8192).place == 64 + 2 * 4136)
    let log = UnitLayout(file: .log)
    #expect(log.unit(at: 31) == .init(file: .log, number: 0, start: 0, length: 32, place: 0))
    #expect(log.unit(at: 32) == .init(file: .log, number: 1, start: 32, length: 24, place: 72))
    #expect(log.unit(at: 56) == .init(file: .log, number: 2, start: 56, length: 4096, place: 136))
    #expect(log.unit(at: 32 + 3 * 4120).place == 72 + 3 * 4200)
    #expect(log.unit(at: 56 + 3 * 4120 + 4095).number == 2 + 2 * 3)
    #expect(log.unit(at: 56 + 3 * 4120).place == 136 + 3 * 4200)
  }

  @Test func aSizeAndItsSealedSizeBelongTogether() {
    for file in [UnitLayout(file: .database), UnitLayout(file: .log)] {
      var offset = 0
      for _ in 0..<9 {
        let unit = file.unit(at: offset)
        #expect(unit.start == offset && file.sealedSize(of: offset) == unit.place)
        #expect(file.size(ofSealed: unit.place) == offset)
        // What is not there whole does not count.
        #expect(file.size(ofSealed: unit.place + unit.length + 39) == offset)
        #expect(file.sealedSize(of: offset + 1) == nil)
        offset = unit.end
      }
    }
  }
}
