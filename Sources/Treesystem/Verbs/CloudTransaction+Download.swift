import CloudAPI
import GRDB
import Signing

/// Parts of a node's content.
public struct NodeComponents: OptionSet, Hashable, Sendable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Of a node, its name and keys; of a file, what the app put beside it.
  public static let metadata = NodeComponents(rawValue: 1)
  /// The app's document, or what a file holds.
  public static let data = NodeComponents(rawValue: 2)
  /// A file's small copy.
  public static let thumbnail = NodeComponents(rawValue: 4)
  /// What the app keeps of earlier values.
  public static let history = NodeComponents(rawValue: 8)
  /// All four.
  public static let all: NodeComponents = [.metadata, .data, .thumbnail, .history]

  init(_ section: FileSection) {
    self =
      switch section {
      case .header: []
      case .metadata: .metadata
      case .data: .data
      case .thumbnail: .thumbnail
      }
  }

  var single: [NodeComponents] { [.metadata, .data, .thumbnail, .history].filter { contains($0) } }
}

extension CloudTransaction {
  /// Has the next sync fetch parts of a node's content from the server.
  public func markNodeAsNeedsDownload(_ node: NodeID, components: NodeComponents) throws {
    for component in components.single {
      try db.execute(
        sql: "INSERT OR IGNORE INTO needs_download (node, component) VALUES (?, ?)",
        arguments: [node, component.rawValue])
    }
  }

  /// Takes marks away: the content is here, or nobody wants it any more.
  public func unmarkNodeAsNeedsDownload(_ node: NodeID, components: NodeComponents) throws {
    for component in components.single {
      try db.execute(
        sql: "DELETE FROM needs_download WHERE node = ? AND component = ?", arguments: [node, component.rawValue])
    }
  }

  /// Whether a node's content is to be fetched.
  func isIncomplete(_ node: Node) throws -> Bool {
    let statement = try db.cachedStatement(sql: "SELECT 1 FROM needs_download WHERE node = ? AND component = ?")
    return try Int.fetchOne(statement, arguments: [node.id, NodeComponents.data.rawValue]) != nil
  }

  /// Whether a node's content is to be the server's, and everything that was written here is in the log.
  func wantsContent(of node: Node) throws -> Bool {
    try isIncomplete(node) && !hasUnconfirmedPut(node, in: node.branch)
  }

  /// The nodes whose content is to be fetched, with what of it.
  public func nodesNeedingDownload() throws -> [(node: NodeID, components: NodeComponents)] {
    try Row.fetchAll(
      db, sql: "SELECT node, sum(component) FROM needs_download GROUP BY node ORDER BY node"
    ).map { ($0[0], NodeComponents(rawValue: $0[1])) }
  }
}
