import CloudAPI
import Foundation
import GRDB
import SwiftProtobuf
public import Treesystem

/// What a message of this user's is about (spec §8).
public enum MessageKind: CaseIterable, Sendable {
  /// Offers a branch.
  case invitation
  /// Says that an invitation, or an offer, is not wanted.
  case decline
  /// Says that an invitation was accepted.
  case joined
  /// Offers to make a member the owner of a branch.
  case offer
  /// Takes such an offer.
  case acceptance
  /// Says that somebody was taken off a branch, or that an invitation is void.
  case withdrawal
  /// Proves that its sender has a code.
  case claim
  /// Says that a code lets nobody in any more, and why.
  case refusal
  /// What one person says to others.
  case post
  /// What is read once.
  case signal
}

extension CloudTransaction {
  /// What a message in the outbox is about; nil where it is gone, or only a newer program knows.
  public func messageKind(of node: NodeID) throws -> MessageKind? {
    let stored = try Data.fetchOne(db, sql: "SELECT message FROM outgoing WHERE node = ?", arguments: [node])
    return switch try stored.map({ try SealedMessage(serializedBytes: $0) })?.what {
    case .invitation: .invitation
    case .decline: .decline
    case .joined: .joined
    case .offer: .offer
    case .acceptance: .acceptance
    case .withdrawal: .withdrawal
    case .claim: .claim
    case .refusal: .refusal
    case .post: .post
    case .signal: .signal
    case nil: nil
    }
  }
}
