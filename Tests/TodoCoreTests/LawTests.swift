import Simulator
import Testing

/// The laws of docs/spec/07-documents.md. `todo-sim laws` and `todo-sim histories` try more.
struct LawTests {
  @Test(arguments: LawCheck.types)
  func theLawsOfJoinHold(_ type: String) {
    #expect(LawCheck.failures(of: type, triples: 2000) == [])
  }

  @Test func documentsShowWhatTheOracleWorksOut() {
    #expect(HistoryCheck.failures(count: 500) == [])
  }

  @Test func documentsThatOutgrowTheirSectionAgreeInTheEnd() {
    #expect(CrowdCheck.failures(count: 50) == [])
  }
}
