import Synchronization

/// The checks that keep a client from believing a hostile server, or a hostile member. The tests of the hostile server take out one
/// after another, to show that a test of theirs fails without it. No shipped program takes one out.
package enum Defence: String, CaseIterable, Sendable {
  // Keyrings
  case rootKey, entryUser, entryChain, entrySigner, entrySignature, keyringComplete, keyringReserve, askedUser,
    namedHandle
  // Who signed
  case suite, signature, activeDevice, keyringLength, pinnedPosition
  // Headers and tombstones
  case recordBranch, permissionsInForce, headerEpoch, letter, burning, rootOwner, nodeVersion, life, readLine,
    contentOwner, nodeKey, nodeKeyReused
  case place, unseenChildren
  // Permissions
  case firstRecord, firstAuthor, nextLine, recordVersion, owner, branchEpoch, shareLetter, entryPin, pinOrder,
    ownerEntry
  // Lists that end, and lists in lists
  case closing, closed, enclosing, nestedPlace
  // The log
  case lineOrder, lineKind, rowHash, permissionsRow, latestRow, pageBranch, headHash, headAhead, headBack, headFork
  case pageProgress, pageEnd, askedBranch, witness
  // What is shown before its log was read
  case newestPlace, newestSignature, newestLine
  // Reading once more
  case rereadLine, rereadRecord
  // What only somebody with keys can see
  case contentHash, contentContext, nodeKeyCommitment, branchKeyCommitment, nameToken, pointerTarget
  // Answers
  case outcomeOperation, outcomeLine, outcomeHash, outcomeCount, refusalGround, permitRead, deniedHold, restoredHead,
    protocolVersion
  // Messages
  case message, messageSender, endedSender, blockedSender, inboxBranch, inboxFirst, inboxChain, inboxSignature
  case postRecipient, postOnce, stranger, originPlace, originContent, originSignature, burnTime
  case claimProof, answerProof, codeExpiry, offer
  // Devices that are added by approval
  case loginCode, loginCommitment, loginAnswerer, loginFirstAnswer, loginAdder

  private static let nothing = -1
  private static let down = Atomic(nothing)

  /// Whether this check is to be left out.
  package var isDown: Bool {
    let down = Self.down.load(ordering: .relaxed)
    return down != Self.nothing && Self.allCases[down] == self
  }

  /// Takes one out; nil puts it back.
  package static func takeDown(_ defence: Defence?) {
    down.store(defence.flatMap { allCases.firstIndex(of: $0) } ?? nothing, ordering: .relaxed)
  }
}
