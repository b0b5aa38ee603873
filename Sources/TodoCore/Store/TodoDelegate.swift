import CloudAPI
public import Sharing
public import Signing
public import Treesystem

/// The app's side of the treesystem: a node's content is its document, and what arrives is joined with what is here.
public struct TodoDelegate: SharingApp {
  public init() {}

  public func prepareForSync(in transaction: CloudTransaction) throws {
    try transaction.bindReplica()
    try transaction.keepNames()
    try transaction.keepDefaultList()
    try transaction.forgetDisplaced()
  }

  public func hear(_ answer: Answer, of user: UserID, at root: Node, in transaction: CloudTransaction) throws {
    try transaction.noteAnswer(answer, of: user, at: root)
  }

  public func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    let table = table(of: node)
    guard let stored = try transaction.storedDocument(of: node.id, in: table) else {
      // An image is its file, and has no document.
      return NodeData(file: try transaction.file(of: node.id))
    }
    var content = try transaction.attributed(stored.broughtBack(of: node.id, in: transaction), at: node)
    content = try transaction.disowned(content, of: node) ?? content
    // A clock that was wrong until the server said the time: nobody would believe what was written by it.
    if content != stored.content {
      try store(content, of: node, in: transaction)
      // Not always asked for to be sent: all others have what it was.
      if try transaction.mayWrite(node.branch) { try transaction.queueUpload(of: node.id) }
    }
    try transaction.noteSending(content, of: node.id, in: table)
    return NodeData(data: content.document.bytes, history: content.history.bytes)
  }

  public func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    switch discovery {
    // Everybody takes it for a todo, or for a list.
    case .put(let node, let data) where data.file != nil, .reset(let node, let data) where data.file != nil:
      if node.trunk == nil, node.isBranchRoot || node.isNamedLikeTodo { throw NodeBecameAnother() }
    case .put(let node, let data) where node.trunk == nil: return try join(data, with: node, in: transaction)
    case .reset(let node, let data) where node.trunk == nil: try replace(node, with: data, in: transaction)
    case .moved(let node, _) where node.trunk == nil && !node.isBranchRoot:
      try requireKept(node, in: transaction)
      try transaction.setPlace(of: node)
    case .pushed(let node): try transaction.noteSent(node.id, in: table(of: node))
    case .discarded(let node) where node.trunk == nil: try takeBack(node, in: transaction)
    // Rows go with their nodes.
    case .deleted(let node) where node.trunk == nil: try transaction.noteDeletion(of: node)
    case .permitted(let root, let before, let after): try transaction.noteMembers(of: root, from: before, to: after)
    case .denied(let root): try transaction.noteTakenOff(root)
    case .put, .reset, .discarded, .moved, .deleted: break
    }
    return .settled
  }

  public func renumbered(_ node: Node, from old: CloudID, in transaction: CloudTransaction) throws {
    guard let new = node.cloudID, let parent = node.parent else { return }
    // A todo whose name is no id is called by its cloudID.
    try transaction.setPlace(of: node)
    try transaction.followImage(from: old, to: new, below: parent)
  }

  private func join(_ data: NodeData, with node: Node, in transaction: CloudTransaction) throws -> Merge {
    // Before anything is stored of the node under the name that it has by now.
    try requireKept(node, in: transaction)
    let table = table(of: node)
    var remote = try transaction.content(of: data, at: node)
    if Defect.stampClamped.isPlanted { remote = remote.clamped(to: transaction.clock.now()) }
    var local = try transaction.storedDocument(of: node.id, in: table)
    var replica = try transaction.knownReplica()
    if let old = replica {
      let isStrange = transaction.isStrange(old, in: remote.document, beside: local)
      if try !transaction.isSignedHere(node) {
        // What others claim to have seen must not hide what waits here, and what was never sent they cannot have seen.
        let seen = max(local?.confirmed ?? .max, isStrange ? 0 : local?.sent ?? 0)
        let times = local?.content.restamp(old, after: seen, beyond: remote.document, now: transaction.clock.now())
        try transaction.restampSteps(of: node.id, old, times ?? [:])
      } else if isStrange {
        // Only this device's own signature says that it has another life.
        replica = try transaction.renewReplica(old)
        local = try transaction.storedDocument(of: node.id, in: table)
      }
    }
    let before = try local?.broughtBack(of: node.id, in: transaction)
    let proven = try before.flatMap { try transaction.proven($0, remote, at: node) }
    var joined = Defect.joinPrefersRemote.isPlanted ? remote : proven ?? before?.joined(remote) ?? remote
    joined.fit()
    try transaction.wantWriter(of: joined.document, at: node)
    try transaction.keepDisplaced(of: node, from: local?.content.document, to: joined.document)
    try transaction.noteWriters(
      in: remote.document, from: local?.content.document, to: joined.document, at: node)
    let confirmed = max(replica.flatMap { remote.document.context[$0] } ?? 0, local?.confirmed ?? 0)
    try store(joined, of: node, confirmed: confirmed, in: transaction)
    try transaction.noteChange(of: node, from: local?.content.document, to: joined.document)
    return joined == remote ? .settled : .differs
  }

  /// A todo's name is its id, by which everybody knows it for one. A comment that gets such a name is a todo from then on: were both put back,
  /// two devices of which each saw another one first would do so for ever.
  private func requireKept(_ node: Node, in transaction: CloudTransaction) throws {
    if Defect.kindForgotten.isPlanted { return }
    if !node.isBranchRoot, !node.isNamedLikeTodo, try transaction.isTodo(node.id) { throw NodeBecameAnother() }
    if Defect.commentPutBack.isPlanted, node.isNamedLikeTodo, try transaction.document(of: node.id, in: .todos) != nil,
      try !transaction.isTodo(node.id)
    {
      throw NodeBecameAnother()
    }
  }

  private func replace(_ node: Node, with data: NodeData, in transaction: CloudTransaction) throws {
    let content = try transaction.content(of: data, at: node)
    try requireKept(node, in: transaction)
    let before = try transaction.document(of: node.id, in: table(of: node))?.document
    try transaction.keepDisplaced(of: node, from: before, to: content.document)
    try transaction.noteWriters(in: content.document, from: before, to: content.document, at: node)
    try store(content, of: node, confirmed: transaction.sentAtMost(content, of: node), in: transaction)
    // Another life may have begun under the same id, with nothing of the old one.
    if let before { try transaction.noteChange(of: node, from: before, to: content.document) }
  }

  /// What the server does not have of a document goes; where the server still answers, its content follows.
  private func takeBack(_ node: Node, in transaction: CloudTransaction) throws {
    guard let content = try transaction.sentContent(of: node.id, in: table(of: node)) else { return }
    try store(content, of: node, in: transaction)
  }

  private func store(
    _ content: VersionedDocument, of node: Node, confirmed: UInt64? = nil, in transaction: CloudTransaction
  ) throws {
    if node.isBranchRoot { return try transaction.store(content, ofList: node.id, confirmed: confirmed) }
    guard let root = try transaction.root(of: node.branch), let cloudID = node.cloudID else {
      throw TreeError.noSuchNode
    }
    try transaction.store(content, of: TodoID(of: node, cloudID), node: node.id, list: root.id, confirmed: confirmed)
  }

  private func table(of node: Node) -> DocumentTable { node.isBranchRoot ? .lists : .todos }
}
