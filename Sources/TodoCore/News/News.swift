public import Signing
public import Treesystem

/// Something that somebody else changed, or oneself on another device.
public struct News: Hashable, Sendable {
  /// What was done.
  public enum Kind: String, Sendable, CaseIterable {
    case added
    case retitled
    case done
    case reopened
    case removed
    case restored
    case edited
    /// They said something about it: that is the detail.
    case commented
    /// About people: `title` says who, `detail` their role.
    case joined
    case left
    case unshared
    case roleChanged = "role-changed"
    case handedOver = "handed-over"
    /// They do not want it; with the role owner, they do not want to own it.
    case declined
    /// Its owner has deleted the list for everybody.
    case closed

    /// Whether it is about who shares a list.
    public var isAboutPeople: Bool {
      [.joined, .left, .unshared, .roleChanged, .handedOver, .declined].contains(self)
    }
  }

  /// In the order of arrival; never used twice.
  public let id: Int64
  /// When it was done, as far as its author's clock can be believed; in milliseconds since 1970.
  public let time: Int64
  /// The root of the list.
  public let list: NodeID
  /// The todo, or the root of the list; nil if it is gone.
  public let node: NodeID?
  /// The user who did it; nil where nobody can tell.
  public let author: UserID?
  /// The signer of the version with which it came, where that was not the author's own device: that they did it is this one's word.
  public var via: UserID?
  public let kind: Kind
  /// As it was then.
  public let title: String
  /// The title before, of something retitled; of a comment what it says; of something edited whether that was its image.
  public let detail: String
  /// Whether it was done with this profile, which may have had no account then.
  public var isOwn = false

  static let imageAttached = "image-attached"
  static let imageRemoved = "image-removed"

  /// Whether an image was attached.
  public var isImageAttached: Bool { kind == .edited && detail == Self.imageAttached }
  /// Whether the image was taken off.
  public var isImageRemoved: Bool { kind == .edited && detail == Self.imageRemoved }

  /// Whether it is about the list itself.
  public var isAboutList: Bool { node == list }
}
