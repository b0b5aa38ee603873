import CloudAPI
import GRDB
import Signing

/// Roots that the server has to have before anything else of their branches can go.
extension CloudTransaction {
  func queueMissingRoots() throws {
    try queueMissingTrunks()
    try queueDeletedRoots()
  }

  /// The device that signed up may have gone before it sent the trunks' roots; then whoever comes next does. A root that the log has a
  /// line of is there, shown or not.
  private func queueMissingTrunks() throws {
    for trunk in Trunk.allCases {
      let root = try self.trunk(trunk)
      guard let cloudID = root.cloudID, try permissions(of: root.branch) != nil else { continue }
      if try state(of: cloudID, in: root.branch) != nil || hasLine(of: cloudID, in: root.branch) {
        // Another device made it, and the root of a trunk says nothing else.
        try db.execute(
          sql: "DELETE FROM operations WHERE node = ? AND kind = 'put' AND state = 'refused'", arguments: [root.id])
      } else if try uploadOperation(of: root.id) == nil {
        try queueDataUpload(forNodeID: root.id)
      }
    }
  }

  /// A branch that was deleted elsewhere hangs here until its pointer goes too. What was written there since brings it back.
  private func queueDeletedRoots() throws {
    let statement = try db.cachedStatement(
      sql: """
        SELECT n.id FROM nodes n JOIN node_states s ON s.branch = n.branch AND s.cloud_id = n.cloud_id
        WHERE n.parent IS NULL AND s.deleted = 1
          AND EXISTS (SELECT 1 FROM operations o WHERE o.branch = n.branch AND o.kind = 'put' AND o.state <> 'refused')
        """)
    for id in try NodeID.fetchAll(statement) {
      if let root = try node(id) { try putAgain(root) }
    }
  }
}
