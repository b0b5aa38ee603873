public import GRDB
public import Signing
import Treesystem

/// What one person has said once, the same for everybody who reads it (spec §8.5).
public struct PostID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }

  /// Of a sender's post that bears this number of theirs: nobody makes one that passes for another's.
  init(of sender: UserID, _ drawn: [UInt8]) {
    self.init(exactly: digest(.post, sender.bytes + drawn, length: Self.length))
  }
}

/// All that the same people say to each other, the same for each of them (spec §8.5).
public struct ConversationID: FixedBytes {
  public static let length = 16
  public let bytes: [UInt8]
  public init?(bytes: some Collection<UInt8>) {
    guard bytes.count == Self.length else { return nil }
    self.bytes = Array(bytes)
  }

  /// Of these people, in whichever order, and about this topic.
  public init(of users: [UserID], about topic: CloudID? = nil) {
    let everybody = Set(users).sorted().flatMap(\.bytes)
    self.init(exactly: digest(.conversation, everybody + (topic?.bytes ?? []), length: Self.length))
  }
}

extension CloudID {
  /// Of a conversation's node in one of this user's trunks, whose key this is (spec §8.6).
  init(of conversation: ConversationID, by key: SecretBytes) {
    self.init(derived: .conversationNode, conversation.bytes, by: key)
  }
}

extension PostID: DatabaseValueConvertible {}
extension ConversationID: DatabaseValueConvertible {}
