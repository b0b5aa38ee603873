/// How text looks on a terminal; in a pipe it is only text.
struct Style {
  static let plain = Style(isColoured: false)

  var isColoured: Bool

  func heading(_ text: String) -> String { wrap(text, "1") }
  func quiet(_ text: String) -> String { wrap(text, "2") }
  func id(_ text: String) -> String { wrap(text, "36") }
  func good(_ text: String) -> String { wrap(text, "32") }
  func tag(_ text: String) -> String { wrap(text, "35") }
  func bad(_ text: String) -> String { wrap(text, "31") }

  private func wrap(_ text: String, _ code: String) -> String {
    isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

/// What a command has to say: to a person, or as JSON to a script.
protocol Page {
  /// The lines on standard output.
  func lines(_ style: Style) -> [String]
  /// The members after `schema`.
  var members: [JSON.Member] { get }
  /// What a person may want to know next; on standard error, on terminals only.
  var hints: [String] { get }
  /// Whether somebody may want to go through it at leisure. What a change came to stands where it was typed, and a picture is one.
  var isPaged: Bool { get }
}

extension Page {
  var hints: [String] { [] }
  var isPaged: Bool { true }
}
