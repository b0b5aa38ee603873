import CloudAPI
import Signing
public import Treesystem

/// The app's side of the treesystem: a node's content is its document, and what arrives is joined with what is here.
public struct TodoDelegate: TreesystemDelegate {
  public init() {}

  public func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    let table = table(of: node)
    guard let content = try transaction.document(of: node.id, in: table) else { return NodeData(data: []) }
    try transaction.noteSending(content, of: node.id, in: table)
    return NodeData(data: content.document.bytes, history: content.history.bytes)
  }

  public func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    switch discovery {
    case .put(let node, let data) where node.trunk == nil: return try join(data, with: node, in: transaction)
    case .reset(let node, let data) where node.trunk == nil: try replace(node, with: data, in: transaction)
    case .moved(let node, _) where node.trunk == nil && !node.isBranchRoot: try transaction.setList(of: node)
    case .pushed(let node): try transaction.noteSent(node.id, in: table(of: node))
    // Rows go with their nodes.
    case .deleted(let node) where node.trunk == nil: try transaction.noteDeletion(of: node)
    case .put, .reset, .moved, .deleted: break
    }
    return .settled
  }

  private func join(_ data: NodeData, with node: Node, in transaction: CloudTransaction) throws -> Merge {
    let table = table(of: node)
    var remote = VersionedDocument(try Document(bytes: data.data), history: try History(bytes: data.history))
    if Defect.stampClamped.isPlanted { remote = remote.clamped(to: transaction.clock.now()) }
    var local = try transaction.storedDocument(of: node.id, in: table)
    if let replica = try transaction.strangeReplica(in: remote.document, beside: local) {
      try transaction.renewReplica(replica)
      local = try transaction.storedDocument(of: node.id, in: table)
    }
    var joined = Defect.joinPrefersRemote.isPlanted ? remote : local?.content.joined(remote) ?? remote
    joined.fit()
    let confirmed = max(try transaction.ownTime(in: remote.document) ?? 0, local?.confirmed ?? 0)
    if node.isBranchRoot {
      try transaction.store(joined, ofList: node.id, confirmed: confirmed)
    } else {
      try store(joined, of: node, confirmed: confirmed, in: transaction)
    }
    try transaction.noteChange(of: node, from: local?.content.document, to: joined.document)
    return joined == remote ? .settled : .differs
  }

  private func replace(_ node: Node, with data: NodeData, in transaction: CloudTransaction) throws {
    let content = VersionedDocument(try Document(bytes: data.data), history: try History(bytes: data.history))
    if node.isBranchRoot {
      try transaction.store(content, ofList: node.id)
    } else {
      try store(content, of: node, confirmed: nil, in: transaction)
    }
  }

  private func store(
    _ content: VersionedDocument, of node: Node, confirmed: UInt64?, in transaction: CloudTransaction
  ) throws {
    guard let root = try transaction.root(of: node.branch), let cloudID = node.cloudID else {
      throw TreeError.noSuchNode
    }
    let id = TodoID(text: node.name) ?? TodoID(cloudID)
    try transaction.store(content, of: id, node: node.id, list: root.id, confirmed: confirmed)
  }

  private func table(of node: Node) -> DocumentTable { node.isBranchRoot ? .lists : .todos }
}
