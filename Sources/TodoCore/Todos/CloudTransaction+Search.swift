import CloudAPI
import GRDB
public import Treesystem

extension CloudTransaction {
  /// The nodes of the todos in which all these words stand or begin, in titles, notes, tags or what was said about them.
  ///
  /// Each word is looked for at the beginning of a word; in writing that puts no spaces between words, anywhere.
  public func search(_ text: String) throws -> Set<NodeID> {
    let terms = folded(text).split(whereSeparator: \.isWhitespace).map(String.init)
    var found: Set<NodeID>?
    for term in terms {
      let nodes = try nodes(with: term)
      found = found?.intersection(nodes) ?? nodes
    }
    return found ?? []
  }

  /// The same by the list that each is on.
  public func searchByList(_ text: String) throws -> [NodeID: Set<NodeID>] {
    let nodes = try search(text).map { String($0.rawValue) }.joined(separator: ",")
    let rows = try Row.fetchCursor(
      db, sql: "SELECT list, node FROM todos WHERE node IN (SELECT value FROM json_each(?))", arguments: ["[\(nodes)]"])
    var found: [NodeID: Set<NodeID>] = [:]
    while let row = try rows.next() { found[row[0], default: []].insert(row[1]) }
    return found
  }

  private static let todo = """
    SELECT iif(t.state = 'other', n.parent, t.node) FROM todos t JOIN nodes n ON n.id = t.node
    """

  private func nodes(with term: String) throws -> Set<NodeID> {
    if term.unicodeScalars.contains(where: \.isControl) { return [] }
    guard term.isIndexed else { return try scanned(term) }
    // The index knows letters and numbers only.
    let isPlain = term.allSatisfy { $0.isLetter || $0.isNumber }
    return try isPlain ? indexed(term) : indexed(term).intersection(scanned(term))
  }

  private func indexed(_ term: String) throws -> Set<NodeID> {
    let quoted = "\"\(term.replacing("\"", with: "\"\""))\"*"
    return try NodeID.fetchSet(
      db, sql: "\(Self.todo) WHERE t.node IN (SELECT rowid FROM todo_words WHERE todo_words MATCH ?)",
      arguments: [quoted])
  }

  private func scanned(_ term: String) throws -> Set<NodeID> {
    try NodeID.fetchSet(db, sql: "\(Self.todo) WHERE instr(t.words, ?) > 0", arguments: [term])
  }
}

extension String {
  /// Whether the index of words has it as one: letters and numbers of writing that has spaces between its words.
  fileprivate var isIndexed: Bool {
    contains { $0.isLetter || $0.isNumber } && unicodeScalars.allSatisfy { $0.value < 0x0E00 }
  }
}
