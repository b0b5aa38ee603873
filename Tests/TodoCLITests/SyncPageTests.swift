import CloudAPI
import Testing
import Treesystem

@testable import TodoCLI

/// What a sync says that was not believed.
struct SyncPageTests {
  @Test func whatWasNotBelievedIsNoSuccess() throws {
    #expect(Complaint(SyncPage(report: SyncReport())) == nil)
    let page = SyncPage(report: SyncReport(), distrust: Distrust(quarantined: 2, unreadable: 1))
    let complaint = try #require(Complaint(page))
    #expect(complaint.exit == .notVerified)
    #expect(complaint.message == "2 changes not believed, 1 list not read any further")
    #expect(complaint.hint.contains("todo status"))
    #expect(JSON.object(page.members).encoded.contains(#""quarantined":2,"unreadable":1"#))
  }

  @Test func whatIsWorseIsSaidFirst() throws {
    var report = SyncReport()
    report.unsent = 1
    let distrust = Distrust(quarantined: 1)
    #expect(Complaint(SyncPage(report: report, distrust: distrust))?.exit == .tryAgain)
    #expect(Complaint(SyncPage(report: report, refused: 1, distrust: distrust))?.exit == .notPermitted)
  }
}
