import Dates
import Signing
import Treesystem

/// The fields that this version knows, and how their values are written (docs/spec/07-documents.md).
public enum Field: UInt32, Sendable {
  /// UTF-8, of a list or a todo.
  case title = 1
  /// When a todo was ticked; empty while it is open.
  case done = 2
  /// When a list or todo was made.
  case created = 3
  /// `list`, `todo` or `comment`: what older versions go by.
  case kind = 4
  /// Where it stands among its siblings: an `OrderKey`.
  case order = 5
  /// Whether a list is put away: `1`; empty while it is not.
  case archived = 6
  /// The cloudID of the child that is a todo's image; empty while it has none.
  case image = 7
  /// Who wrote a comment: their userID; missing: whoever signed it.
  case writer = 8
  /// When a todo is to be done: a day or a moment; empty: not set.
  case due = 9
  /// Until when a todo is put off: a day or a moment; empty: not.
  case start = 10
  /// `high`, `medium` or `low`; empty: none.
  case priority = 11
  /// Whose task a todo is: a userID; empty: nobody's.
  case assignee = 12
  /// How a todo comes back: a rule; empty: not.
  case repetition = 13
  /// The writer's signature under a comment: `SignedWords`.
  case words = 14
  /// What was last taken away, so that it has a writer: `1` for all of it, else the stamps of elements; empty: it came back.
  case taken = 15
  /// By which clock the moment was meant at which a todo is due: a time of day and a zone, `09:00 Asia/Tokyo`; empty: not said.
  case clock = 18
  /// What is written beside a title, and what a comment says: elements, several where people wrote at the same time.
  case note = 16
  /// A word that todos have in common: elements, one for each tag.
  case tag = 17
}

/// What a node of ours is.
public enum Kind: String, Sendable {
  case list
  case todo
  case comment
}

extension Kind {
  /// What a node is, by where it hangs and how it is named (docs/spec/07-documents.md, §7.11): what anybody writes into its document changes
  /// nothing about that.
  init(_ node: Node) { self = node.isBranchRoot ? .list : node.isNamedLikeTodo ? .todo : .comment }
}

extension Node {
  /// Whether a comment can be here, whatever kind its document says it is: anybody who may write there writes that.
  var isPlaceOfComment: Bool { !isBranchRoot && !isNamedLikeTodo }

  /// Whether it bears a todo's id as its name, with a number behind it where a sibling bears the same.
  var isNamedLikeTodo: Bool { TodoID.isName(name) }
}

extension Document {
  /// The title.
  public var title: String { text(of: self[Field.title.rawValue]?.value ?? []) }

  /// When it was ticked, in milliseconds since 1970; nil while it is open.
  public var doneAt: Int64? { time(.done) }

  /// When it was made, in milliseconds since 1970.
  public var createdAt: Int64 { time(.created) ?? 0 }

  /// What its writer took it for; nil for a kind of a newer version. `Kind(_:)` tells what it is.
  public var kind: Kind? { Kind(rawValue: String(decoding: self[Field.kind.rawValue]?.value ?? [], as: UTF8.self)) }

  /// Where it was put; nil while nobody moved it, and for a key that no version makes.
  public var order: OrderKey? { self[Field.order.rawValue].flatMap { OrderKey(moved: $0.value) } }

  /// Where it stands: where it was put, or where it was made.
  public var place: OrderKey { order ?? OrderKey(time: createdAt) }

  /// Whether it is put away.
  public var isArchived: Bool { self[Field.archived.rawValue]?.value.isEmpty == false }

  /// The child that is its image.
  var image: CloudID? { self[Field.image.rawValue].flatMap { CloudID(bytes: $0.value) } }

  /// When it is to be done.
  var due: When? { value(.due).flatMap { When(value: $0) } }

  /// Until when it is put off.
  var start: When? { value(.start).flatMap { When(value: $0) } }

  var priority: Priority? { value(.priority).flatMap { Priority(rawValue: String(decoding: $0, as: UTF8.self)) } }

  /// Whose task it is.
  var assignee: UserID? { value(.assignee).flatMap { UserID(bytes: $0) } }

  /// How it comes back once it is ticked.
  var repetition: Repetition? { value(.repetition).flatMap { Repetition(rule: String(decoding: $0, as: UTF8.self)) } }

  /// By which clock its due moment was meant.
  var clock: ZonedTime? {
    // Only from who said when it is due: anybody else could move all that follows, and nobody would see it.
    guard let clock = self[Field.clock.rawValue], clock.stamp.replica == self[Field.due.rawValue]?.stamp.replica else {
      return nil
    }
    return ZonedTime(text: String(decoding: clock.value, as: UTF8.self))
  }

  /// Its notes, the latest first; several where people wrote at the same time.
  public var notes: [String] { texts(.note).reversed() }

  /// Its tags, in order of their text.
  public var tags: [String] { texts(.tag).sorted() }

  /// The different values of a field, oldest first.
  private func texts(_ field: Field) -> [String] {
    var texts: [String] = []
    for element in elements where element.field == field.rawValue {
      let text = text(of: element.value)
      texts.removeAll { $0 == text }
      texts.append(text)
    }
    return texts
  }

  /// A value that was written and is not empty.
  func value(_ field: Field) -> [UInt8]? { self[field.rawValue].flatMap { $0.value.isEmpty ? nil : $0.value } }

  private func time(_ field: Field) -> Int64? {
    guard let value = self[field.rawValue]?.value, value.count == 8 else { return nil }
    return Int64(clamping: value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }
}

/// What somebody wrote. What is not UTF-8, and a NUL, which would end a text early in the database, only a broken client writes: replacement
/// characters stand for them.
func text(of value: [UInt8]) -> String {
  String(decoding: value.contains(0) ? value.flatMap { $0 == 0 ? Array("\u{FFFD}".utf8) : [$0] } : value, as: UTF8.self)
}

/// A time as a register holds it: `u64`, big-endian.
func timeValue(_ milliseconds: Int64) -> [UInt8] { bigEndian(UInt64(max(0, milliseconds))) }
