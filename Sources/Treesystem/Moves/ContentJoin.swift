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
    } catch let error where error.isOfThisMachine || error is Refusal || error is NodeBecameAnother {
      throw error
    } catch {
      throw Refusal.malformed
    }
  }

  /// Gives the app what came; what it cannot read, as if there were nothing: what it has of the node is more than that. Messages are not the app's.
  /// - Parameter isDue: whether that holds also for what is only too early, by clocks that differ.
  func takeReadable(
    _ content: NodeData, into node: Node, isDue: Bool, _ transaction: CloudTransaction,
    as discovery: (NodeData) -> Discovery
  ) throws -> (merge: Merge, refusal: Refusal?) {
    do {
      var merge = Merge.settled
      try transaction.db.inSavepoint {
        merge = try deliver(discovery(content), in: transaction)
        return .commit
      }
      return (merge, nil)
    } catch let error where content.file == nil && node.trunk == nil && !Defect.unreadableHides.isPlanted {
      guard let refusal = Self.refusal(of: error), isDue || refusal != .stampAhead else { throw error }
      return (try deliver(.put(node, NodeData()), in: transaction), refusal)
    }
  }

  private static func refusal(of error: any Error) -> Refusal? {
    if let error = error as? DatabaseError, error.resultCode == .SQLITE_CONSTRAINT { return .malformed }
    return error as? Refusal
  }

  /// Has the app join content that stood in another branch, and queues the upload of what is new by it.
  /// - Parameter author: the signer of the version that it comes from; nil for this device's own content.
  func carry(_ content: NodeData, by author: Author?, into id: NodeID, in transaction: CloudTransaction) throws {
    guard let node = try transaction.node(id) else { throw TreeError.noSuchNode }
    let before = try self.content(of: node, in: transaction)
    // A picture is its file, and has nothing that could be joined. What has become a document is a picture no more.
    if content.file != nil || !content.data.isEmpty { try transaction.learnFile(content.file, of: id) }
    let signed = author.map(node.signed) ?? node
    // Nothing waits for what cannot be read: it went with its node.
    _ = try takeReadable(content, into: signed, isDue: true, transaction) { .put(signed, $0) }
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
