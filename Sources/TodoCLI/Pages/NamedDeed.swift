import Signing
import TodoCore
import Treesystem

/// Whose deed something is, with names.
struct NamedDeed {
  /// The handle of who did it, "you" for oneself; nil where nobody can tell.
  let by: String?
  /// The handle of who passes it on in their name, "you" for oneself; nil where they signed it themselves.
  var via: String?

  fileprivate static let oneself = "you"
  /// What was done with this profile, which may have had no account then.
  static let own = NamedDeed(by: oneself)

  /// `bob`, `mallory, as bob says`
  var words: String {
    guard let via else { return by ?? "somebody" }
    let name = by ?? "somebody"
    return via == Self.oneself ? "\(name), as you say" : "\(name), as \(via) says"
  }

  /// The same before a verb: `mallory, as bob says,`
  var subject: String { via == nil ? words : "\(words)," }

  /// What stands beside a todo: nothing for one's own.
  var remark: String? { via == nil && (by == nil || by == Self.oneself) ? nil : words }

  /// One's own where something was never sent, and so bears nobody's name.
  func orOwn(_ isUnsent: Bool) -> NamedDeed { isUnsent && by == nil && via == nil ? .own : self }

  /// The handle of somebody else; nil for oneself and where nobody can tell.
  var other: String? { by == Self.oneself ? nil : by }
}

extension Handles {
  /// Adds names to a deed.
  mutating func named(_ deed: Deed) throws -> NamedDeed {
    NamedDeed(
      by: try deed.user.map { try other($0) ?? NamedDeed.oneself },
      via: try deed.via.map { try other($0) ?? NamedDeed.oneself })
  }
}
