import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// A changed client: it sends what its user wrote into the place of a node's content, whether or not anybody can read it.
struct HostileApp: SharingApp, @unchecked Sendable {
  /// Only from the thread that plays the world.
  let member: HostileMember
  private let app = TodoDelegate()

  init(_ member: HostileMember) { self.member = member }

  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    let content = try app.content(of: node, in: transaction)
    return content.file == nil ? node.cloudID.flatMap { member.sentInstead[$0] } ?? content : content
  }

  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    if case .pushed(let node) = discovery, let cloudID = node.cloudID { member.sentInstead[cloudID] = nil }
    return try app.receive(discovery, in: transaction)
  }

  func renumbered(_ node: Node, from old: CloudID, in transaction: CloudTransaction) throws {
    try app.renumbered(node, from: old, in: transaction)
  }

  func file(of node: Node, in transaction: CloudTransaction) throws -> FileOffer? {
    try app.file(of: node, in: transaction)
  }

  func prepareForSync(in transaction: CloudTransaction) throws { try app.prepareForSync(in: transaction) }

  func hear(_ answer: Answer, of user: UserID, at root: Node, in transaction: CloudTransaction) throws {
    try app.hear(answer, of: user, at: root, in: transaction)
  }

  func hear(_ event: MessageEvent, in transaction: CloudTransaction) throws { try app.hear(event, in: transaction) }
}
