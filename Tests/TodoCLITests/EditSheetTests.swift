import Dates
import Foundation
import Sharing
import Testing
import TodoCore
import Treesystem

@testable import TodoCLI

/// What somebody makes of a todo in an editor.
@Suite struct EditSheetTests {
  private let before = """
    title: oat milk
    due: 2026-11-27
    priority: high
    tags: breakfast shop

    2 litres

    """

  private func changes(_ text: String) throws -> SheetChanges {
    try EditSheet(text: text).changes(since: EditSheet(text: before))
  }

  @Test func whatIsNotTouchedIsNotWritten() throws {
    #expect(try changes(before).isEmpty)
    #expect(try changes("# a remark\n\n" + before + "\n\n").isEmpty)
  }

  @Test func whatIsChangedIsAnOption() throws {
    let changed = try changes(
      "Title: soy milk\ndue: fri\npriority:\nassign: bob\ntags: +shop cold\n\n3 litres\n\n# and more")
    #expect(changed.title == "soy milk")
    #expect(changed.fields.due == "fri")
    #expect(changed.fields.priority == "none")
    #expect(changed.fields.assign == "bob")
    #expect(changed.fields.start == nil && changed.fields.repetition == nil)
    #expect(changed.fields.tag == ["cold"] && changed.untag == ["breakfast"])
    // Below the empty line everything is the note, whatever it begins with.
    #expect(changed.fields.note == "3 litres\n\n# and more")
  }

  @Test func whatIsTakenOutIsTakenAway() throws {
    let changed = try changes("title: oat milk\n")
    #expect(changed.fields.due == "none" && changed.fields.priority == "none" && changed.fields.note == "")
    #expect(changed.untag == ["breakfast", "shop"])
    #expect(changed.title == nil)
  }

  @Test(arguments: [
    "", "# nothing\n", "due: fri\n", "title:\n", "title: a\ncolour: red\n", "title: a\ntitle: b\n", "oat milk\n",
  ])
  func whatIsNotUnderstoodIsRefused(text: String) {
    #expect(throws: Complaint.self) { try EditSheet(text: text) }
  }

  @Test func theLineOfAnErrorIsNamed() {
    #expect { try EditSheet(text: "title: a\ncolour: red\n") } throws: {
      ($0 as? Complaint)?.message.hasPrefix("line 2: ") == true
    }
  }
}
