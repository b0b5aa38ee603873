import Sharing
import Signing
import TodoCore
import Treesystem

/// A todo's image with what is known of it without a network.
struct NamedImage {
  let image: TodoImage
  /// Whose deed it is.
  let deed: NamedDeed
  /// When it was attached, by the clock of who did; in milliseconds since 1970.
  let attachedAt: Int64?
  /// Of the picture.
  let bytes: Int64
  /// Whether all of it lies on this device.
  let isHere: Bool

  /// The handle of who attached it; nil for one's own.
  var author: String? { deed.other }

  /// The handle of who signed the picture; nil for oneself.
  var signer: String? { deed.via.map { $0 == NamedDeed.own.by ? nil : $0 } ?? deed.other }

  /// `1.2 MB, from bob, not on this device`
  var words: String {
    [shortSize(bytes), deed.remark.map { "from \($0)" }, isHere ? nil : "not on this device yet"].compactMap { $0 }
      .joined(separator: ", ")
  }

  /// The same, of one of several: with when it was attached.
  var datedWords: String { ([words] + [attachedAt.map(localTime)].compactMap { $0 }).joined(separator: ", ") }

  var json: JSON { .object(members) }

  var members: [JSON.Member] {
    [
      .init(key: "by", value: .text(deed.by)), .init(key: "via", value: .text(deed.via)),
      .init(key: "attached_at", value: .time(attachedAt)),
      .init(key: "bytes", value: .int(bytes)), .init(key: "here", value: .bool(isHere)),
    ]
  }
}

extension Handles {
  /// Adds to an image what people want to know of it.
  mutating func named(_ image: TodoImage, of todo: Todo, in transaction: CloudTransaction) throws -> NamedImage {
    NamedImage(
      image: image, deed: try named(transaction.attacher(of: image, to: todo)).orOwn(image.author == nil),
      attachedAt: try transaction.attachedAt(image, to: todo),
      bytes: Int64((try? image.file.sizes.data) ?? image.file.layout.length),
      isHere: try transaction.isHere(.data, of: image.file))
  }
}

/// A todo and one of its images.
struct PickedImage {
  let todo: NamedTodo
  let image: NamedImage
}

extension CloudTransaction {
  /// The image of the todo that somebody referred to, or complains that there is none.
  /// - Parameter earlier: 1 is the one before the one that it has, and so on.
  func requireImage(of reference: String, earlier: Int?) throws -> PickedImage {
    let todo = try requireTodo(reference)
    let before = try earlierImages(of: todo)
    let image: TodoImage?
    if let earlier {
      guard before.indices.contains(earlier - 1) else { throw Complaint.noEarlierImage(todo, count: before.count) }
      image = before[earlier - 1]
    } else {
      image = try self.image(of: todo)
    }
    guard let image else { throw Complaint.noImage(todo, hasEarlier: !before.isEmpty) }
    var handles = try Handles(self)
    return PickedImage(todo: try named([todo])[0], image: try handles.named(image, of: todo, in: self))
  }

  /// Whoever may not write any more cannot take an image off, but can give up their own that was refused: else it goes as soon as they may write again.
  func requireImageWrite(_ todo: Todo) throws {
    do { try requireWrite(todo.list) } catch var complaint as Complaint {
      guard let image = todo.image, try isRefused(image) else { throw complaint }
      let refused = try operations().filter { [image, todo.node].contains($0.node) && $0.state == .refused }
      complaint.hint =
        "the server has not taken the image of '\(Complaint.shortened(todo.title))'; to give it up: "
        + "todo sync --discard \(ChangeNumbers(refused.map(\.sequence)).text)"
      throw complaint
    }
  }
}

extension Complaint {
  static func noImage(_ todo: Todo, hasEarlier: Bool) -> Complaint {
    Complaint(
      "no_image", .notFound, "'\(shortened(todo.title))' has no image",
      hint: hasEarlier
        ? "--earlier 1 is the one that it had before" : "attach one: todo image add \(todo.shortID) <file>")
  }

  static func nothingToTakeOff(_ todo: Todo) -> Complaint {
    Complaint(
      "no_image", .notFound, "'\(shortened(todo.title))' has no image",
      hint: "there is nothing to take off; to attach one: todo image add \(todo.shortID) <file>")
  }

  static func wasSent(_ todo: Todo) -> Complaint {
    Complaint(
      "not_permitted", .notPermitted,
      "an earlier image of '\(shortened(todo.title))' that may have been sent stays for everybody",
      hint: "it goes when the todo is deleted for good")
  }

  fileprivate static func noEarlierImage(_ todo: Todo, count: Int) -> Complaint {
    Complaint(
      "no_image", .notFound,
      count == 0
        ? "'\(shortened(todo.title))' had no other image before"
        : "'\(shortened(todo.title))' had only \(counted(count, "image")) before",
      hint: count == 0 ? "leave out --earlier" : "--earlier takes a number from 1, the latest, to \(count)")
  }
}
