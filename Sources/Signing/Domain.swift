/// What a hash, signature or key is for. No two uses share a domain (spec §1.1), so nothing made for one passes as another.
public enum Domain: String, Sendable, CaseIterable {
  case userID = "user-id"
  case deviceID = "device-id"
  case trunk = "trunk"
  case pointer = "pointer"
  case ownNode = "own-node"
  case record = "record"
  case keyringEntry = "keyring-entry"
  case permissions = "permissions"
  case nodeHeader = "node-header"
  case tombstone = "tombstone"
  case log = "log"
  case line = "line"
  case rootSign = "root-sign"
  case rootBox = "root-box"
  case olderUserKey = "older-user-key"
  case branchKey = "branch-key"
  case branchKeyBox = "branch-key-box"
  case olderBranchKey = "older-branch-key"
  case wrapNodeKey = "wrap-node-key"
  case nodeKey = "node-key"
  case content = "content"
  case contentHash = "content-hash"
  case nameToken = "name-token"
  case destination = "destination"
  case ownershipTransfer = "ownership-transfer"
  case codeCheck = "code-check"
  case codeID = "code-id"
  case codeKey = "code-key"
  case codeClaim = "code-claim"
  case codeAnswer = "code-answer"
  case loginCommitment = "login-commitment"
  case loginCode = "login-code"
  case safetyNumber = "safety-number"
  case databaseKey = "database-key"
  case databaseUnit = "database-unit"
  case fileSection = "file-section"
  case fileChunk = "file-chunk"
  case fileLeaf = "file-leaf"
  case fileNode = "file-node"
  case fileRoot = "file-root"

  /// `D` of spec §1.1: the length in one byte, then `todo/v1/…` in ASCII.
  package var prefix: [UInt8] {
    let text = Array("todo/v1/\(rawValue)".utf8)
    return [UInt8(text.count)] + text
  }
}
