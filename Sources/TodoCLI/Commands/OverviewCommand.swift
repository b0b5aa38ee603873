import ArgumentParser
import CloudAPI
import Dates
import Sharing
import TodoCore
import Treesystem

/// A bare `todo`: what needs attention, then what is open.
struct OverviewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: FirstWord.overviewName,
    abstract: "What is open, on all lists.",
    shouldDisplay: false)

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    // On a terminal it opens with the news too; in a pipe with what waits for an answer or was not read.
    guard let rows = session.voice.rows else {
      return try await session.show(tellsNews: false) {
        try $0.overview(session.dates, withNews: session.voice.isRead)
      }
    }
    try await session.show(tellsNews: false) {
      OverviewPage(
        all: try $0.overview(session.dates, withNews: true), due: try $0.dueToday([], session.dates), rows: rows)
    }
  }
}

extension CloudTransaction {
  fileprivate func overview(_ dates: DatePhrase, withNews: Bool) throws -> ListsPage {
    let contents = try contents(of: WantedTodos([], .recent, dates))
    let hints = contents.isEmpty ? ["add the first todo with: todo add \"buy milk\""] : []
    var notices: [String] = []
    if withNews {
      notices = try named(deviceNews(below: .seen)).map(\.sentence) + [newsNotice()].compactMap { $0 }
    }
    let unread = try account() == nil ? [] : try named(unreadMessages())
    notices += unread.map(\.sentence)
    return ListsPage(notices: notices + (try self.notices()), contents: contents, unread: unread, hints: hints)
  }

  /// What waits for the user, a line each.
  private func notices() throws -> [String] {
    guard try account() != nil else { return [] }
    var notices = try endedHere().map { ["\(Complaint($0).message) (todo status)"] } ?? []
    notices += try invites().map {
      "invitation \($0.number): \($0.title) from \($0.senderName) (todo accept \($0.number))"
    }
    notices += try endedLists().map(\.notice)
    let lists = try lists()
    for trouble in try troubles() where trouble.reason != .branchDenied {
      guard let list = lists.first(where: { $0.branch == trouble.branch })?.name else { continue }
      notices.append("\(list) cannot be read any further (todo status)")
    }
    let refused = try refusedCount()
    if refused > 0 { notices.append("\(counted(refused, "change")) refused by the server (todo status)") }
    return notices
  }
}

/// `1 change`, `2 changes`.
func counted(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
