import CloudAPI
import GRDB
public import Signing

/// A section of a node's file that somebody wants here.
struct WantedSection {
  let node: Node
  let section: FileSection
  let file: NodeFile
}

extension NodeComponents {
  /// The sections of a file that these are.
  var sections: [FileSection] {
    [(NodeComponents.metadata, FileSection.metadata), (.thumbnail, .thumbnail), (.data, .data)]
      .filter { contains($0.0) }.map(\.1)
  }
}

extension CloudTransaction {
  /// Has the next transfer fetch sections of a node's file. Marks survive being offline.
  public func markFileAsNeedsDownload(_ node: NodeID, components: NodeComponents) throws {
    for section in components.sections {
      try db.execute(
        sql: "INSERT OR IGNORE INTO wanted_sections VALUES (?, ?)", arguments: [node, section.rawValue])
    }
  }

  /// Takes marks away: the sections are here, or nobody wants them any more.
  public func unmarkFileAsNeedsDownload(_ node: NodeID, components: NodeComponents) throws {
    for section in components.sections {
      try db.execute(
        sql: "DELETE FROM wanted_sections WHERE node = ? AND section = ?", arguments: [node, section.rawValue])
    }
  }

  /// What is wanted, small sections first. A mark whose node has no file by now is for nothing.
  func wantedSections() throws -> [WantedSection] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT w.node, w.section FROM wanted_sections w JOIN node_files f ON f.node = w.node
        ORDER BY w.section = 2, f.length, w.node
        """
    ).compactMap { row in
      guard let node = try node(row[0]), let file = try file(of: node.id),
        let section = FileSection(rawValue: UInt8(row[1] as Int64))
      else { return nil }
      return WantedSection(node: node, section: section, file: file)
    }
  }

  /// Whether all of a section lies here.
  public func isHere(_ section: FileSection, of file: NodeFile) throws -> Bool {
    try file.layout.range(of: section).isEmpty || storedSection(section, of: file)?.isWhole == true
  }
}
