/// Why a record or request is not believed: the words in brackets of the spec. Server and client refuse with the same.
public enum Refusal: String, Error, CaseIterable, Sendable {
  // Records
  case suiteUnknown = "suite-unknown"
  case malformed
  case limitExceeded = "limit-exceeded"
  case tooManyBranches = "too-many-branches"
  case signatureBad = "signature-bad"
  case deviceUnknown = "device-unknown"
  case userMismatch = "user-mismatch"
  case chainBroken = "chain-broken"
  case rootMismatch = "root-mismatch"
  case deviceExists = "device-exists"
  case generationWrong = "generation-wrong"
  case trunksMissing = "trunks-missing"
  case accountDeleted = "account-deleted"
  case pinWrong = "pin-wrong"
  case keyringStale = "keyring-stale"
  case firstRecordWrong = "first-record-wrong"
  case permissionsSuperseded = "permissions-superseded"
  case permissionsUnknown = "permissions-unknown"
  case ownerChanged = "owner-changed"
  case epochWrong = "epoch-wrong"
  case letterMissing = "letter-missing"
  case branchClosed = "branch-closed"
  case branchMismatch = "branch-mismatch"
  case versionStale = "version-stale"
  case readWrong = "read-wrong"
  case parentWrong = "parent-wrong"
  case nameTaken = "name-taken"
  case contentUnknown = "content-unknown"
  case nodeKeyReused = "node-key-reused"
  case nodeKeySwapped = "node-key-swapped"
  case messageWrong = "message-wrong"
  case unseenChildren = "unseen-children"
  case operationMismatch = "operation-mismatch"
  case contentMissing = "content-missing"
  // The log
  case fork
  case rowMismatch = "row-mismatch"
  case rowMissing = "row-missing"
  // What only a client says, of an answer
  case refusalUnfounded = "refusal-unfounded"
  case branchDenied = "branch-denied"
  // What only someone with keys can see
  case keyMismatch = "key-mismatch"
  case contentMismatch = "content-mismatch"
  case contentUnopenable = "content-unopenable"
  case paddingWrong = "padding-wrong"
  case nameTokenWrong = "name-token-wrong"
  case stampAhead = "stamp-ahead"
  case senderMismatch = "sender-mismatch"
  case recipientMismatch = "recipient-mismatch"
  case originWrong = "origin-wrong"
  // Requests
  case clockSkew = "clock-skew"
  case nonceSeen = "nonce-seen"
  case digestWrong = "digest-wrong"
  case otherServer = "other-server"
  case signUpClosed = "sign-up-closed"
  case restoreClosed = "restore-closed"
  case restoreAwaited = "restore-awaited"
  case tokenWrong = "token-wrong"
  case notFound = "not-found"
  case tooSlow = "too-slow"
  case handleTaken = "handle-taken"
  case listsShared = "lists-shared"
  case clientTooOld = "client-too-old"
  case tooMany = "too-many"
  case diskFull = "disk-full"
  case quotaExceeded = "quota-exceeded"
  case `internal`

  /// Reads a server's reason; nil for one that it cannot have: what a client alone says of an answer.
  public init?(told reason: String) {
    guard let refusal = Refusal(rawValue: reason), refusal != .refusalUnfounded, refusal != .branchDenied else {
      return nil
    }
    self = refusal
  }

  /// Whether it says how the server or the way to it is doing just now, and nothing about what was asked.
  public var isPassing: Bool {
    switch self {
    case .tooMany, .tooSlow, .nonceSeen, .internal, .diskFull: true
    default: false
    }
  }

  /// Whether sealing again and sending can cure it, after a pull or later (spec §6.3). Anything else is refused for good.
  public var isConflict: Bool {
    switch self {
    case .versionStale, .permissionsSuperseded, .keyringStale, .nameTaken, .unseenChildren, .parentWrong,
      .restoreAwaited:
      true
    default: false
    }
  }
}
