import TodoCore

/// An image, drawn, with what is known of it.
struct ImagePage: Page {
  let picked: PickedImage
  /// What whoever attached it says of it; nil where that cannot be read.
  let facts: ImageFacts?
  /// Lines for a terminal.
  let drawing: String?

  var isPaged: Bool { false }

  func lines(_ style: Style) -> [String] {
    let (todo, image) = (picked.todo, picked.image)
    let about = [
      facts?.words, shortSize(image.bytes), facts?.name, "from \(image.deed.words)",
      image.attachedAt.map(localTime),
    ]
    return (drawing.map { [$0] } ?? []) + [
      "\(style.id(todo.todo.shortID)) \(style.heading(harmless(todo.todo.title)))\(style.quiet(" · \(harmless(todo.list))"))",
      about.compactMap { $0 }.filter { !$0.isEmpty }.map(harmless).joined(separator: " · "),
    ]
  }

  var members: [JSON.Member] {
    let unknown: [JSON.Member] = ["type", "width", "height", "name"].map { .init(key: $0, value: .null) }
    return [
      .init(key: "todo", value: picked.todo.json),
      .init(key: "image", value: .object(picked.image.members + (facts?.members ?? unknown))),
    ]
  }
}
