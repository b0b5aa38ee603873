import CloudAPI
import GRDB
package import Signing

/// Messages leave the inbox for a place in home, with the proof of who wrote them (spec §8.6).
extension CloudTransaction {
  /// Makes the node below home that holds what a message says, or finds the one that another device made, and queues its upload.
  package func keepMessage(_ message: Node, below parent: NodeID) throws -> Node {
    guard message.trunk == .inbox, let origin = try origin(of: message.id), let home = try node(parent)?.branch
    else {
      throw TreeError.noSuchNode
    }
    if let there = try node(origin.cloudID, in: home) { return there }
    let kept = try insertNode(
      named: origin.cloudID.description, in: parent, pointer: nil, cloudID: origin.cloudID)
    if let file = try file(of: message.id) { try noteFile(file, of: kept.id) }
    try keep(origin, of: kept.id, isChecked: true)
    try setExpiry(origin.header.expiry, of: kept.id)
    try queueDataUpload(forNodeID: kept.id)
    return kept
  }

  /// Deletes a message once the node that holds what it says has arrived.
  package func deleteMessage(_ message: Node, keptAt node: NodeID) throws {
    try queueDeletion(of: message)
    let deletion = try Int64.fetchOne(
      db, sql: "SELECT max(sequence) FROM operations WHERE branch = ? AND cloud_id = ? AND kind = 'delete'",
      arguments: [message.branch, message.cloudID])
    guard let deletion, let upload = try uploadOperation(of: node) else { return }
    try addDependencies([upload], to: CloudOperation(sequence: deletion))
  }

  /// The node of this name below another one, which is made with this id if need be: two devices that make it make one node.
  package func node(named name: String, in parent: NodeID, orNewWith cloudID: CloudID) throws -> Node {
    if let there = try child(named: name, of: parent) { return there }
    let made = try insertNode(named: name, in: parent, pointer: nil, cloudID: cloudID)
    try queueDataUpload(forNodeID: made.id)
    return made
  }

  /// Whether a node holds what came as a message, at its place below home.
  func isTakenOut(_ node: NodeID?) throws -> Bool {
    guard let node = try node.flatMap({ try self.node($0) }), node.trunk == .home else { return false }
    return try origin(of: node.id) != nil
  }
}
