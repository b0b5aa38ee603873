import CloudAPI
import Foundation
import GRDB
import Signing

/// Nodes whose newest line may not be noted yet. A batch that puts hundreds below one node changes what is above it once.
final class UnsettledNodes {
  struct Node: Hashable {
    let cloudID: CloudID
    let branch: CloudID
  }

  var nodes: Set<Node> = []
  /// Those above each, as far as that was asked for and nothing was moved since.
  var above: [Node: Set<CloudID>] = [:]
  private(set) var moves = 0

  func noteMove() {
    above = [:]
    moves += 1
  }
}

/// The newest line of a live node and of what lives below it, kept with the node.
extension SQLiteTransaction {
  /// That of a node whose line comes first, then its branch and its id.
  static let newestWith = """
    max(?, coalesce(
      (SELECT max(newest) FROM nodes AS below WHERE branch = ? AND parent = ? AND kind = 1 AND gone = 0), 0))
    """

  func places(from cloudID: CloudID, in branch: CloudID) throws -> [NodePlace] {
    try meter.count(statements: 1)
    let statement = try db.cachedStatement(
      sql: """
        WITH RECURSIVE above (cloud_id, parent, lives, level) AS (
          SELECT cloud_id, parent, kind = 1 AND gone = 0, 0 FROM nodes WHERE branch = :branch AND cloud_id = :node
          UNION ALL
          SELECT next.cloud_id, next.parent, next.kind = 1 AND next.gone = 0, level + 1
          FROM above JOIN nodes AS next ON next.cloud_id = above.parent
          WHERE next.branch = :branch AND level < :depth
        )
        SELECT cloud_id, parent, lives FROM above
        """)
    let cursor = try Row.fetchCursor(
      statement, arguments: ["branch": branch.blob, "node": cloudID.blob, "depth": Limits.depth])
    var places: [NodePlace] = []
    while let row = try cursor.next() {
      try meter.count(rows: 1)
      // By number: these are the most rows that a batch reads.
      let parent: Data? = row[1]
      guard let id = CloudID(bytes: row[0] as Data) else { throw StorageFailure.damaged }
      places.append(NodePlace(cloudID: id, parent: parent.flatMap { CloudID(bytes: $0) }, isLive: row[2]))
    }
    return places
  }

  func newestLine(below cloudID: CloudID, in branch: CloudID) throws -> UInt64? {
    if try isUnsettled(cloudID, in: branch) { try settleNewest() }
    return try row(
      """
      SELECT newest FROM nodes WHERE branch = ? AND parent = ? AND kind = 1 AND gone = 0
      ORDER BY newest DESC LIMIT 1
      """, [branch.blob, cloudID.blob]
    )?.number("newest")
  }

  /// Says that a node's newest line may be another one now.
  func unsettle(_ cloudID: CloudID?, in branch: CloudID) {
    guard let cloudID else { return }
    unsettled.nodes.insert(UnsettledNodes.Node(cloudID: cloudID, branch: branch))
  }

  /// Whether the newest line below a node may not be noted yet.
  private func isUnsettled(_ cloudID: CloudID, in branch: CloudID) throws -> Bool {
    try unsettled.nodes.contains { node in
      guard node.branch == branch else { return false }
      if let above = unsettled.above[node] { return above.contains(cloudID) }
      let above = Set(try places(from: node.cloudID, in: branch).compactMap(\.parent))
      unsettled.above[node] = above
      // What hangs deeper than is looked may hang below anything.
      return above.contains(cloudID) || above.count >= Limits.depth
    }
  }

  /// Notes the newest line of all whose own may be another one, and of what is above them as far as it makes a difference: the deepest
  /// first, so that each is noted once.
  func settleNewest() throws {
    var levels: [Int: Set<UnsettledNodes.Node>] = [:]
    for node in unsettled.nodes {
      levels[try places(from: node.cloudID, in: node.branch).count, default: []].insert(node)
    }
    while let level = levels.keys.max() {
      for node in levels.removeValue(forKey: level) ?? [] {
        guard let parent = try noteNewest(of: node) else { continue }
        levels[level - 1, default: []].insert(UnsettledNodes.Node(cloudID: parent, branch: node.branch))
      }
    }
    unsettled.nodes = []
  }

  /// Notes anew the newest line of a live node and of what lives below it. Returns the node above, whose own may be another one now; nil if
  /// nothing has changed.
  private func noteNewest(of node: UnsettledNodes.Node) throws -> CloudID? {
    try row(
      """
      UPDATE nodes SET newest = max(nodes.line, coalesce(below.line, 0))
      FROM (
        SELECT max(newest) AS line FROM nodes WHERE branch = :branch AND parent = :node AND kind = 1 AND gone = 0
      ) AS below
      WHERE branch = :branch AND cloud_id = :node AND kind = 1 AND gone = 0
        AND newest <> max(nodes.line, coalesce(below.line, 0))
      RETURNING parent
      """, ["branch": node.branch.blob, "node": node.cloudID.blob]
    )?.optional("parent")
  }
}
