import CloudAPI
import GRDB
import Signing

extension SyncEngine {
  /// Checks who signed what this user's other devices took out of the inbox, where their keyrings had to be asked for first.
  func checkOrigins(_ connection: CloudConnection) async throws {
    let (senders, writers) = try database.read { (try $0.uncheckedSenders(), try $0.hasWantedKeyrings()) }
    // Whose words a node holds is told by their keyring too.
    if writers { try await fetchKeyrings(database.write { try $0.takeWantedKeyrings() }, connection) }
    if senders.isEmpty { return }
    try await fetchKeyrings(senders, connection)
    try database.write { try $0.checkOrigins(delegate) }
  }
}

extension CloudTransaction {
  fileprivate func uncheckedSenders() throws -> [UserID] {
    try UserID.fetchAll(db, sql: "SELECT DISTINCT sender FROM origins WHERE NOT checked ORDER BY sender")
  }

  fileprivate func checkOrigins(_ delegate: any TreesystemDelegate) throws {
    let open = try NodeID.fetchAll(db, sql: "SELECT node FROM origins WHERE NOT checked ORDER BY node")
    for id in open {
      guard let node = try node(id), let origin = try origin(of: id) else { continue }
      do {
        guard try origin.isSigned(by: keyring(origin.header.author.user)) else { continue }
        try db.execute(sql: "UPDATE origins SET checked = 1 WHERE node = ?", arguments: [id])
        let file = try file(of: id)
        let message = try blamingRows { try origin.open(at: node.cloudID, of: requireAccount().user, with: file) }
        _ = try delegate.deliver(.put(node, NodeData(message: message, file: file)), in: self)
      } catch let refusal as Refusal {
        try setAside(node, refusal)
      }
    }
  }

  /// What is not its sender's is in quarantine, and not in the tree.
  private func setAside(_ node: Node, _ refusal: Refusal) throws {
    guard let cloudID = node.cloudID, let state = try state(of: cloudID, in: node.branch),
      let line = try stateLine(of: cloudID, in: node.branch)
    else { return }
    try quarantine(
      Line(number: line, kind: .header, cloudID: cloudID, hash: state.hash), [], in: node.branch, refusal)
    try forget(node)
  }
}

extension NodeData {
  /// A message, which stands in the place that a file leaves it.
  init(message: [UInt8], file: NodeFile?) {
    self.init(data: file == nil ? message : [], history: file == nil ? [] : message, file: file)
  }

  /// The section that a message stands in.
  package var message: [UInt8] { file == nil ? data : history }
}
