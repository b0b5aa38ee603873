import TodoCore

/// Where two devices show a list differently.
struct Difference {
  let words: String

  init(_ first: String, _ one: ShownList, _ second: String, _ other: ShownList) {
    var words = "\(first) and \(second) show different lists"
    if one.title != other.title { words += ": titles '\(one.title)' and '\(other.title)'" }
    words += Self.words(first, one.items.map(\.words), second, other.items.map(\.words))
    for (item, twin) in zip(one.items, other.items) where item.id == twin.id && item.document != twin.document {
      words += "\n   the documents of \(item.words) differ"
      words += Self.words(first, item.contents, second, twin.contents)
    }
    self.words = words
  }

  private static func words(_ first: String, _ one: [String], _ second: String, _ other: [String]) -> String {
    other.difference(from: one).map { change in
      switch change {
      case .remove(_, let item, _): "\n     only \(first): \(item)"
      case .insert(_, let item, _): "\n     only \(second): \(item)"
      }
    }.joined()
  }
}

extension ShownList.Item {
  fileprivate var words: String { "\(id.prefix(4)) \(state) \(title)" }

  /// What a document says, a line for each thing.
  fileprivate var contents: [String] {
    guard let document = try? Document(bytes: document) else { return ["what cannot be read"] }
    return document.registers.map { "register \($0)" } + document.elements.map { "element \($0)" }
      + ["context \(document.context)", "deleted \(document.deleted)"]
  }
}
