import CloudAPI
import Signing
import Testing

@testable import CloudServer

/// The newest line below a node is kept with the nodes: it is always the one that looking at all of them finds.
struct NewestBelowTests {
  /// A tree that is put, changed, moved, deleted and brought back at random, as batches and restorations do it.
  private struct Tree {
    let branch = CloudID.random(entropy)
    var head: LogHead
    var rows: [CloudID: StoredNode] = [:]
    var dice: Seeded

    init(_ seed: UInt64, in storage: any CloudStorageTransaction) throws {
      head = LogHead(startOf: branch)
      dice = Seeded(seed: seed)
      _ = try append(.permissions, branch, to: storage)
    }

    private mutating func append(
      _ kind: Line.Kind, _ cloudID: CloudID, to storage: any CloudStorageTransaction
    ) throws -> Line {
      let line = Line(number: head.line + 1, kind: kind, cloudID: cloudID, hash: .random(entropy))
      head = head.appending(line)
      try storage.append(line, head: head, to: branch, by: nil)
      return line
    }

    private mutating func store(
      _ cloudID: CloudID, _ kind: Line.Kind, below parent: CloudID?, in storage: any CloudStorageTransaction
    ) throws {
      let line = try append(kind, cloudID, to: storage)
      let node = StoredNode(
        cloudID: cloudID, line: line.number, lines: (rows[cloudID]?.lines ?? 0) + 1, kind: kind, hash: line.hash,
        record: SignedRecord(body: [1], signature: Signature(exactly: [UInt8](repeating: 0, count: 64))),
        parent: parent, nameToken: parent == nil ? nil : .random(entropy))
      try storage.store(node, in: branch, by: nil)
    }

    /// Whether a node hangs at or below another one, living or not.
    private func isBelow(_ node: CloudID, _ top: CloudID) -> Bool {
      var here: CloudID? = node
      while let node = here {
        if node == top { return true }
        here = rows[node]?.parent
      }
      return false
    }

    mutating func step(in storage: any CloudStorageTransaction) throws {
      let nodes = rows.values.sorted { $0.cloudID < $1.cloudID }
      let chosen = nodes.randomElement(using: &dice)
      let parents = nodes.filter(\.isLive).map(\.cloudID) + [branch]
      let parent = parents.randomElement(using: &dice) ?? branch
      switch Int.random(in: 0..<12, using: &dice) {
      case 0..<4 where rows.count < 40: try store(.random(entropy), .header, below: parent, in: storage)
      case 4: try store(branch, .header, below: nil, in: storage)
      case 5, 6:
        // Changes, moves, or brings back.
        guard let chosen, chosen.parent != nil, !isBelow(parent, chosen.cloudID) else { return }
        try store(chosen.cloudID, .header, below: Bool.random(using: &dice) ? parent : chosen.parent, in: storage)
      case 7, 8:
        guard let chosen, chosen.isLive, chosen.parent != nil else { return }
        try store(chosen.cloudID, .tombstone, below: chosen.parent, in: storage)
        try storage.remove(chosen.cloudID, in: branch)
      case 9:
        guard let chosen, chosen.kind == .header else { return }
        try storage.setGone(!chosen.isGone, chosen.cloudID, in: branch)
      default: break
      }
      rows = Dictionary(uniqueKeysWithValues: try storage.nodes(of: branch).map { ($0.cloudID, $0) })
    }

    /// What walking down finds.
    func newest(below top: CloudID) -> UInt64? {
      let children = Dictionary(grouping: rows.values.filter(\.isLive)) { $0.parent }
      var (waiting, newest): ([CloudID], UInt64?) = ([top], nil)
      while let node = waiting.popLast() {
        for child in children[node] ?? [] {
          newest = max(newest ?? 0, child.line)
          waiting.append(child.cloudID)
        }
      }
      return newest
    }
  }

  @Test(arguments: 0..<8 as Range<UInt64>) func itIsWhatWalkingDownFinds(_ seed: UInt64) throws {
    let world = try World()
    try world.storage.write { storage in
      var tree = try Tree(seed, in: storage)
      var looked = 0
      for _ in 0..<250 {
        try tree.step(in: storage)
        for node in tree.rows.keys + [tree.branch] {
          let (kept, found) = (try storage.newestLine(below: node, in: tree.branch), tree.newest(below: node))
          guard kept == found else { return #expect(kept == found, "line \(tree.head.line)") }
          looked += found == nil ? 0 : 1
        }
      }
      #expect(looked > 200)
    }
  }
}
