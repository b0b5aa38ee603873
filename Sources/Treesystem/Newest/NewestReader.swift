import CloudAPI
import Foundation
import Sealing
import Signing

/// Checks what a server says a trunk of one's own has newest, each row by itself: all of §5 that needs no line before it (spec §6.6).
struct NewestReader {
  let trunk: Trunk
  let me: UserID
  let keys: NewestKeys
  /// Whose children were asked for.
  let parents: Set<CloudID>
  /// How far the log is by the same answer.
  let head: UInt64
  /// What came so far, so that names can be checked.
  var opened: [CloudID: OpenedNode] = [:]

  /// A row that is right, as far as can be told.
  struct Row {
    let line: Line
    let node: OpenedNode
    let author: Author
    /// Who wrote it, where it came as a message.
    let origin: Origin?
    /// False where its device has ended since: whoever has that device may have signed it today.
    let isByActive: Bool
  }

  /// The rows that hold, those above first, and why the others do not.
  mutating func read(
    _ rows: [WireRow], in transaction: CloudTransaction
  ) throws -> (rows: [Row], refused: [Refusal]) {
    var (good, refused): ([Row], [Refusal]) = ([], [])
    for wire in rows {
      do {
        if try isBurnt(wire, transaction) { continue }
        let row = try read(wire, transaction)
        opened[row.line.cloudID] = row.node
        good.append(row)
      } catch let refusal as Refusal {
        refused.append(refusal)
      }
    }
    return (good, refused)
  }

  private func read(_ wire: WireRow, _ transaction: CloudTransaction) throws -> Row {
    let header = try UnverifiedHeader(SignedRecord(wire.record))
    let body = header.body
    guard (1...max(head, 1)).contains(wire.line) else { throw Refusal.rowMismatch }
    let isAsked = body.parent.map(parents.contains) ?? false || parents.contains(body.cloudID)
    guard body.branch == trunk.cloudID(of: me) || Defence.newestPlace.isDown else { throw Refusal.branchMismatch }
    guard isAsked || Defence.newestPlace.isDown else { throw Refusal.parentWrong }
    let isMessage = body.recipient != nil
    guard isMessage ? trunk == .inbox && body.recipient == me : body.author.user == me else {
      throw isMessage ? Refusal.messageWrong : Refusal.letterMissing
    }
    guard let keyring = try transaction.keyring(body.author.user) else { throw Refusal.keyringStale }
    try keyring.requireSigned(header.record, HeaderBody.domain, by: body.author)
    guard !isMessage || keyring.device(body.author.device) != nil else { throw Refusal.deviceUnknown }
    let node = try OpenedNode(body, key: nodeKey(of: body, transaction), contents: wire.contents)
    if !isMessage, let parent = body.parent {
      try node.checkName(parentKey: opened[parent].map { SecretBytes(Array($0.metadata.nameKey)) })
    }
    return Row(
      line: Line(number: wire.line, kind: .header, cloudID: body.cloudID, hash: header.hash), node: node,
      author: body.author, origin: try origin(of: node), isByActive: keyring.device(body.author.device) != nil)
  }

  /// Of what is over nothing is shown, so it need not be right.
  private func isBurnt(_ wire: WireRow, _ transaction: CloudTransaction) throws -> Bool {
    try UnverifiedHeader(SignedRecord(wire.record)).body.isBurnt(with: wire.contents, at: transaction.latestTime())
  }

  private func nodeKey(of header: HeaderBody, _ transaction: CloudTransaction) throws -> NodeKey {
    if header.recipient != nil {
      guard let userKey = try transaction.userKey(generation: header.recipientGeneration),
        let secret = userKey.box.open(sealedBox: header.wrappedKey),
        let key = NodeKey(
          branch: header.branch, node: header.cloudID, secret: secret, commitment: header.keyCommitment)
      else { throw Refusal.keyMismatch }
      return key
    }
    let key = try keys.key(of: header).unwrap(header.wrappedKey, of: header.cloudID, commitment: header.keyCommitment)
    guard let key else { throw Refusal.keyMismatch }
    return key
  }

  private func origin(of node: OpenedNode) throws -> Origin? {
    guard node.header.recipient == nil, node.metadata.hasOrigin else { return nil }
    return try Origin(node.metadata.origin, sealed: node.content.message)
  }

  /// Empty for the root, as everywhere.
  private func name(of parent: CloudID?) -> String {
    guard let above = parent.flatMap({ opened[$0] }), above.header.parent != nil else { return "" }
    return above.metadata.name
  }

  /// What the app is told of a row. Throws where its sender did not write it.
  func node(
    of row: Row, remembered provisional: Int64, in transaction: CloudTransaction
  ) throws -> NewestNode {
    let header = row.node.header
    var (content, sender) = (row.node.content, row.author.user)
    if let origin = row.origin {
      let file = content.file
      content = NodeData(
        message: try origin.open(at: header.cloudID, of: me, with: file), file: file)
      sender = origin.header.author.user
      guard try origin.isSigned(by: transaction.keyring(sender)) else { throw Refusal.keyringStale }
    }
    let isRoot = header.parent == nil
    return NewestNode(
      trunk: trunk, cloudID: header.cloudID, parent: header.parent,
      name: header.recipient == nil ? (isRoot ? "" : row.node.metadata.name) : header.cloudID.description,
      parentName: name(of: header.parent),
      sender: sender, content: content, expires: (row.origin?.header ?? header).expiry, provisional: provisional)
  }
}
