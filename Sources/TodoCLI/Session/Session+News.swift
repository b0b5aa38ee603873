import Glibc
import TodoCore
import Treesystem

extension Session {
  /// Says in one line that there is news, once; to people.
  func tellNews() throws {
    guard isatty(STDERR_FILENO) == 1, !voice.wantsJSON, !voice.isQuiet else { return }
    let (items, notice) = try read { transaction in
      let items = try transaction.news(below: .noticed)
      return (items, items.isEmpty ? nil : try transaction.newsNotice())
    }
    guard let notice else { return }
    voice.note(harmless(notice))
    try database.write { try $0.mark(items, as: .noticed) }
  }
}

extension CloudTransaction {
  /// "bob added 2 things to Groceries (todo news)"; nil where there is no news.
  func newsNotice() throws -> String? {
    let groups = try groups(of: news(below: .seen))
    guard let first = groups.first else { return nil }
    let others = groups.dropFirst().reduce(0) { $0 + $1.items.count }
    return "\(first.sentence)\(others == 0 ? "" : ", and \(counted(others, "more change"))") (todo news)"
  }
}
