import TodoCore

/// Who did what when, a line each.
struct LogPage: Page {
  /// The latest first.
  let changes: [NamedNews]

  func lines(_ style: Style) -> [String] {
    if changes.isEmpty { return ["nothing is known of what was done here"] }
    return changes.map { change in
      let said = change.news.kind == .commented ? ": \(change.news.detail)" : ""
      return "\(style.quiet(localTime(change.news.time)))  \(harmless(change.sentence))\(style.quiet(harmless(said)))"
    }
  }

  var members: [JSON.Member] {
    [.init(key: "changes", value: .array(changes.map { .object($0.members) }))]
  }
}

extension NamedNews {
  /// `bob renamed eggs to 6 eggs on Groceries`
  fileprivate var sentence: String {
    guard news.kind == .retitled, !news.isAboutList else { return NewsGroup(items: [self]).sentence }
    return "\(deed.subject) renamed \(news.detail) to \(news.title) on \(list.name)"
  }
}
