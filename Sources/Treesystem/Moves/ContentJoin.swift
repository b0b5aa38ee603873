import CloudAPI
import GRDB
import Signing

extension TreesystemDelegate {
  /// Has the app join content into a node.
  func join(_ content: NodeData, into node: Node, in transaction: CloudTransaction) throws -> Merge {
    try deliver(.put(node, content), in: transaction)
  }

  /// Gives the app what came. What it cannot read is this content's fault and stops no other; what the database cannot do ends
  /// the sync.
  func deliver(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    do {
      return try receive(discovery, in: transaction)
    } catch let error
      where error is DatabaseError || error is StoreError || error is Refusal || error is NodeBecameAnother
    {
      throw error
    } catch {
      throw Refusal.malformed
    }
  }

  /// Has the app join content that stood in another branch, and queues the upload of what is new by it.
  /// - Parameter author: the signer of the version that it comes from; nil for this device's own content.
  func carry(_ content: NodeData, by author: Author?, into id: NodeID, in transaction: CloudTransaction) throws {
    guard let node = try transaction.node(id) else { throw TreeError.noSuchNode }
    let before = try self.content(of: node, in: transaction)
    _ = try join(content, into: author.map(node.signed) ?? node, in: transaction)
    if try self.content(of: node, in: transaction) != before { try transaction.queueUpload(of: id) }
  }

  /// Tells the app that a node, which hung below `parent` before, is elsewhere with all below it.
  func tellMoved(_ node: NodeID, from parent: NodeID, in transaction: CloudTransaction) throws {
    guard let node = try transaction.node(node) else { return }
    for member in try transaction.subtree(of: node) {
      let from = member.id == node.id ? parent : member.parent ?? parent
      _ = try receive(.moved(member, from: from), in: transaction)
    }
  }
}

extension Node {
  /// The node with who signed the version of it that is handed over.
  func signed(by author: Author) -> Node {
    Node(
      id: id, branch: branch, parent: parent, name: name, cloudID: cloudID, trunk: trunk, author: author.user,
      pointer: pointer, device: author.device)
  }
}
