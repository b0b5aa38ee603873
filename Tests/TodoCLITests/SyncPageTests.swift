import CloudAPI
import Signing
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

  /// Anybody who may write on a list can leave something there for good: scripts must not fail for ever because of it.
  @Test func whatSomebodyWroteIsAnErrorOnce() throws {
    let branch = CloudID.random(SystemEntropy())
    var distrust = Distrust(quarantined: 1, unreadable: 1)
    var report = SyncReport()
    report.troubles = [branch: .firstRecordWrong]
    #expect(Complaint(SyncPage(report: report, distrust: distrust))?.exit == .notVerified)
    distrust.told = 2
    let again = SyncPage(report: report, distrust: distrust, wereUnread: [branch])
    #expect(Complaint(again) == nil)
    #expect(
      again.lines(Style(isColoured: false)) == [
        "in sync", "1 change not believed, 1 list not read any further (todo status)",
      ])
    distrust.findings = 1
    #expect(Complaint(SyncPage(report: report, distrust: distrust, wereUnread: [branch]))?.exit == .notVerified)
  }

  @Test func imagesThatCameAreCounted() {
    var files = TransferReport()
    (files.fetched, files.arrived) = (3, [NodeID(rawValue: 1), NodeID(rawValue: 2)])
    let page = SyncPage(report: SyncReport(), files: files)
    #expect(page.lines(Style(isColoured: false)) == ["0 sent, 0 received, with 2 images"])
    #expect(JSON.object(page.members).encoded.contains(#""files_fetched":2,"sections_fetched":3"#))
    #expect(SyncPage(report: SyncReport()).lines(Style(isColoured: false)) == ["in sync"])
  }

  @Test func whatIsWorseIsSaidFirst() throws {
    var report = SyncReport()
    report.unsent = 1
    let distrust = Distrust(quarantined: 1)
    #expect(Complaint(SyncPage(report: report, distrust: distrust))?.exit == .tryAgain)
    #expect(Complaint(SyncPage(report: report, refused: 1, distrust: distrust))?.exit == .notPermitted)
  }

  /// Anybody can send one: scripts must not fail for ever because of it, nor another list hide behind it.
  @Test func anInvitationThatLedToNothingIsAnErrorOnce() throws {
    let branches = (0..<2).map { _ in CloudID.random(SystemEntropy()) }
    let unread = UnreadList(
      branch: BranchID(rawValue: 1), cloudID: branches[0], pointer: NodeID(rawValue: 2), name: "Trip",
      sender: "mallory", reason: .firstRecordWrong, since: 0)
    var report = SyncReport()
    report.troubles = [branches[0]: .firstRecordWrong]
    #expect(Complaint(SyncPage(report: report, unread: [unread]))?.exit == .notVerified)
    let again = SyncPage(report: report, unread: [unread], wereUnread: [branches[0]])
    #expect(Complaint(again) == nil)
    #expect(
      again.lines(Style(isColoured: false)) == [
        "in sync", "Trip from mallory cannot be read (first-record-wrong) (todo status)",
      ])
    #expect(Explanation(unread).advice.contains("or take it off your lists: todo lists rm Trip"))
    report.troubles[branches[1]] = .fork
    #expect(Complaint(SyncPage(report: report, unread: [unread], wereUnread: [branches[0]]))?.exit == .notVerified)
  }
}
