/// What a bare `todo` shows a person: what needs attention, what is due, and what is open, on one screen.
struct OverviewPage: Page {
  let all: ListsPage
  let due: TodayPage
  /// How many lines there is room for.
  let rows: Int

  func lines(_ style: Style) -> [String] {
    var blocks = all.notices.isEmpty ? [] : [all.notices.map(harmless).joined(separator: "\n")]
    blocks += due.blocks(style)
    if all.contents.isEmpty { blocks.append(all.nothing) }
    // The prompt comes below.
    let room = rows - 1 - blocks.reduce(0) { $0 + Self.height(of: $1) }
    return [(blocks + lists(style, room)).joined(separator: "\n\n")]
  }

  /// The lists: whole if there is room, else the first of each.
  private func lists(_ style: Style, _ room: Int) -> [String] {
    let counts = all.contents.map(\.todos.count)
    func height(_ limit: Int) -> Int { counts.reduce(0) { $0 + 2 + ($1 > limit ? limit + 1 : $1) } }
    let limits = [counts.max() ?? 0] + stride(from: rows, through: 1, by: -1)
    if let limit = limits.first(where: { height($0) <= room }) {
      return all.contents.map { $0.lines(style, limit: limit).joined(separator: "\n") }
    }
    // So many lists: one line each, as far as that goes.
    let count = max(1, room - 2)
    let lines = all.contents.prefix(count).map { $0.lines(style, limit: 0)[0] }
    let left = counts.count - lines.count
    return [(lines + (left == 0 ? [] : [style.quiet("… \(left) more lists (todo lists)")])).joined(separator: "\n")]
  }

  /// How many lines a block takes with the empty one below it.
  private static func height(of block: String) -> Int { block.utf8.count { $0 == UInt8(ascii: "\n") } + 2 }

  var members: [JSON.Member] { all.members }
  var hints: [String] { all.hints }
}
