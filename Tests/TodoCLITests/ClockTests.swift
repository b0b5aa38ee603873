import CloudAPI
import Foundation
import Testing
import Treesystem

@testable import TodoCLI

/// How people hear that a clock is wrong.
final class ClockTests {
  private let folder = FileManager.default.temporaryDirectory.appending(path: "todo-clock-\(UUID().uuidString)")
  private let hour: Int64 = 3_600_000

  deinit { try? FileManager.default.removeItem(at: folder) }

  @Test func theDifferenceIsSaidInWholeUnits() {
    #expect(ClockDifference(ahead: 75_000).words == "75 seconds ahead of the server's")
    #expect(ClockDifference(ahead: -3 * hour).words == "3 hours behind the server's")
    #expect(ClockDifference(ahead: 365 * 24 * hour).words == "365 days ahead of the server's")
    #expect(
      ClockDifference(ahead: .min).notice
        == "this machine's clock is 106751991167 days behind the server's: set it; until then, times shown for your changes are wrong"
    )
  }

  @Test func onlyAFarDifferenceIsRememberedAndForgottenWhenItIsOver() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let database = try CloudDatabase(path: folder.appending(path: "todo.db").path, appMigrations: [])
    func remembered(_ ahead: Int64) throws -> Int64? {
      try database.write { transaction in
        try transaction.note(clockAhead: ahead)
        return try transaction.clockAhead()
      }
    }
    #expect(try remembered(hour) == nil)
    #expect(try remembered(-2 * hour) == -2 * hour)
    #expect(try remembered(3 * hour) == 3 * hour)
    #expect(try remembered(0) == nil)
  }
}
