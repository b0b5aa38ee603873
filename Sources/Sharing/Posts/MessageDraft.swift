public import Signing
public import Treesystem

/// What is to be said, and to whom.
public struct MessageDraft: Sendable {
  /// Whom it is for; each of them reads who the others are.
  public var recipients: [UserID]
  /// What it is about, where these people have more than one conversation.
  public var topic: CloudID?
  /// At most 32 KiB of UTF-8.
  public var text: String
  /// The app's, at most 16 KiB.
  public var data: [UInt8]
  /// A file that lies in the disk store. It is uploaded once, whoever it goes to.
  public var attachment: NodeFile?
  /// When everybody's devices are to delete it, in milliseconds since 1970; nil: never.
  public var expires: Int64?

  /// Says this to these people.
  public init(
    to recipients: [UserID], about topic: CloudID? = nil, text: String = "", data: [UInt8] = [],
    attachment: NodeFile? = nil, expires: Int64? = nil
  ) {
    self.recipients = recipients
    self.topic = topic
    self.text = text
    self.data = data
    self.attachment = attachment
    self.expires = expires
  }
}

/// Why something cannot be said.
public enum PostError: Error, CaseIterable, Sendable {
  /// It is for nobody.
  case noRecipient
  /// It is for more people than a conversation has.
  case tooManyRecipients
  /// There is neither text nor data nor a file.
  case empty
  /// The text or data is too long.
  case tooLong
  /// No such post or request is here.
  case notHere
  /// Only the device that sent it can take it back.
  case onAnotherDevice
}

/// Limits of posts (spec §8.5): sealed twice, one fits into a section.
enum PostLimits {
  static let text = 32 * 1024
  static let data = 16 * 1024
  static let recipients = 256
  /// Of each conversation's latest, which a new device shows before all of it has come: what fits on a screen.
  static let shownFirst = 20
}

extension MessageDraft {
  /// Refuses what no reader would take.
  public func check(from me: UserID) throws {
    guard !recipients.isEmpty else { throw PostError.noRecipient }
    guard !recipients.contains(me) else { throw ShareError.withOneself }
    guard Set(recipients).count <= PostLimits.recipients else { throw PostError.tooManyRecipients }
    guard !text.isEmpty || !data.isEmpty || attachment != nil else { throw PostError.empty }
    guard text.utf8.count <= PostLimits.text, data.count <= PostLimits.data else { throw PostError.tooLong }
  }
}
