import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Two people who take one todo to different lists before they have heard of each other.
@Suite struct TwoMovesTests {
  /// Two people take a todo elsewhere at once. What one of them writes where they put it is for those who read there: it does not follow the
  /// other's move, and is not taken away by it.
  @Test(arguments: [true, false]) func whatIsWrittenWhereItWasPutStaysThere(_ isRead: Bool) async throws {
    let friends = try await Movers()
    try friends.alice.add("Secret")
    try await friends.alice.sync()
    try friends.bob.add("Pool")
    if isRead {
      try await friends.bob.share("Pool", with: "alice")
      try await friends.settle()
      try friends.alice.accept()
    }
    try await friends.settle()
    try friends.alice.move("Milk", to: "Secret")
    let milk = try friends.alice.todo("Milk", in: "Secret")
    try friends.alice.database.write { _ = try $0.setNote(try Note("ask the lawyer"), of: milk) }
    try friends.bob.move("Milk", to: "Pool")
    try await friends.bob.sync()
    try await friends.settle()
    try await friends.settle()
    #expect(try friends.alice.lists() == (isRead ? ["Pool/Milk", "Secret/Milk"] : ["Secret/Milk"]))
    #expect(try friends.bob.lists() == ["Pool/Milk"])
    let pool = try friends.bob.todo("Milk", in: "Pool")
    #expect(try friends.bob.database.read { try $0.notes(of: pool) }.isEmpty)
    let kept = try friends.alice.todo("Milk", in: "Secret")
    #expect(try friends.alice.database.read { try $0.notes(of: kept) } == ["ask the lawyer"])
    #expect(try friends.alice.unsent() == 0)
  }

  @Test func whoeverLosesKeepsTheirEdit() async throws {
    let friends = try await Movers()
    try friends.alice.move("Milk", to: "Party")
    try friends.bob.move("Milk", to: "Work")
    try friends.bob.edit("Milk", to: "Oat milk")
    try await friends.alice.sync()
    try await friends.settle()
    // It was written where bob put it, and stays there.
    try friends.expectAlike(["Party/Milk", "Work/Oat milk"])
  }
}
