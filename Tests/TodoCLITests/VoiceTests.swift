import Testing

@testable import TodoCLI

struct VoiceTests {
  @Test func textOfOthersCannotSteerTheTerminal() {
    #expect(harmless("a\u{1B}[31mb") == "a[31mb")
    #expect(harmless("a\nb\tc") == "a b c")
    #expect(harmless("\u{202E}evil\u{202C}") == "evil")
    #expect(harmless("\u{9B}1m\u{7F}") == "1m")
    #expect(harmless("שלום 👩‍👩‍👧 é") == "שלום 👩‍👩‍👧 é")
  }

  @Test func jsonEscapesAndNeverStrips() {
    let value: JSON = ["a": "x\"\\\n\u{1B}\u{202E}é", "b": .null, "c": [1, true], "d": .text(nil)]
    #expect(value.encoded == #"{"a":"x\"\\\n\u001b\u202eé","b":null,"c":[1,true],"d":null}"#)
  }

  @Test func timesAreUTC() {
    #expect(rfc3339(0) == "1970-01-01T00:00:00.000Z")
    #expect(rfc3339(1_790_000_000_123) == "2026-09-21T14:13:20.123Z")
    #expect(rfc3339(.max).hasPrefix("9999-12-31"))
  }

  @Test func everyExitStatusIsInTheTable() {
    for exit in Exit.allCases { #expect(Exit.table.contains("\(exit.rawValue)  \(exit.meaning)")) }
  }

  @Test func complaintsAreOneObjectForScripts() {
    let complaint = Complaint.unknownList("Grocery", similar: ["Groceries"])
    #expect(complaint.exit == .notFound)
    #expect(
      complaint.json.encoded
        == #"{"schema":1,"error":{"kind":"unknown_list","message":"no list named 'Grocery'","#
        + #""hint":"did you mean 'Groceries'?","candidates":["Groceries"]}}"#)
  }

  @Test func noComplaintEndsInAFullStop() {
    let complaints = [
      Complaint(TestFailure()), .notSignedUp, .position("3"), .unknownTodo("x"), Complaint(CancellationError()),
    ]
    for complaint in complaints {
      #expect(complaint.message.last != ".")
      #expect(complaint.hint.last != ".")
      #expect(complaint.message.first?.isUppercase == false)
    }
  }

  private struct TestFailure: Error {}
}
