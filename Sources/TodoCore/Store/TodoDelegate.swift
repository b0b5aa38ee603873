import Signing
public import Treesystem

/// The app's side of the treesystem: a node's content is its document, and what arrives is joined with what is here.
public struct TodoDelegate: TreesystemDelegate {
  public init() {}

  public func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    let table: DocumentTable = node.isBranchRoot ? .lists : .todos
    guard let content = try transaction.document(of: node.id, in: table) else { return NodeData(data: []) }
    return NodeData(data: content.document.bytes, history: content.history.bytes)
  }

  public func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    // Rows go with their nodes; what was pushed is what is here.
    guard case .put(let node, let data) = discovery, node.trunk == nil else { return .settled }
    let remote = VersionedDocument(try Document(bytes: data.data), history: try History(bytes: data.history))
    let table: DocumentTable = node.isBranchRoot ? .lists : .todos
    let joined = try transaction.document(of: node.id, in: table)?.joined(remote) ?? remote
    if node.isBranchRoot {
      try transaction.store(joined, ofList: node.id)
    } else {
      try store(joined, of: node, in: transaction)
    }
    return joined == remote ? .settled : .differs
  }

  private func store(_ content: VersionedDocument, of node: Node, in transaction: CloudTransaction) throws {
    guard let root = try transaction.root(of: node.branch), let cloudID = node.cloudID else {
      throw TreeError.noSuchNode
    }
    let id = TodoID(text: node.name) ?? TodoID(cloudID)
    try transaction.store(content, of: id, node: node.id, list: root.id)
  }
}
