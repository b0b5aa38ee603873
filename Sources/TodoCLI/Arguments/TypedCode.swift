import Sharing

/// A code as somebody typed it: `7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN.alice@todo.example.org`.
struct TypedCode {
  let code: InviteCode
  let server: String

  /// Nil for what is no code, a complaint for one that was mistyped or lacks a part.
  init?(_ text: String) throws {
    let parts = text.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard !text.contains(" "), let dot = parts[0].firstIndex(of: ".") else {
      if InviteCode.isBare(parts[0]) { throw Complaint.incompleteCode("the name of whoever made it") }
      return nil
    }
    let code = InviteCode(text: parts[0])
    guard parts.count == 2, !parts[1].isEmpty else {
      if code != nil || InviteCode.isBare(String(parts[0][..<dot])) { throw Complaint.incompleteCode("its server") }
      return nil
    }
    guard let code else {
      throw Complaint(
        "code", .badData, "that is no invite code, or one with a slip in it",
        hint: "compare it with what you were given, character by character")
    }
    (self.code, server) = (code, parts[1])
  }
}

extension Complaint {
  fileprivate static func incompleteCode(_ part: String) -> Complaint {
    Complaint(
      "code", .badData, "that code is not whole: \(part) is missing at its end",
      hint: "a code ends like .alice@todo.example.org: copy all of it, or ask whoever gave it to you")
  }
}
