import CloudAPI
import Signing

/// Which nodes of a branch live, told from their latest rows alone (spec §5.1, rule 8).
struct LiveNodes {
  let branch: CloudID
  private let nodes: [CloudID: StoredNode]
  private let children: [CloudID: [StoredNode]]
  /// With which line a node's present life began, or the one that its tombstone ended; 0 with its first.
  private let lives: [CloudID: UInt64]
  /// How far below the root what lives hangs, and `dead` for all else.
  private var levels: [CloudID: Int] = [:]

  private static let dead = Limits.depth + 1

  /// Lines are looked through so many at a time, so that memory is bounded.
  private static let share = 10_000

  init(of branch: CloudID, in storage: any CloudStorageReader) throws {
    self.branch = branch
    let rows = try storage.nodes(of: branch)
    nodes = Dictionary(rows.map { ($0.cloudID, $0) }, uniquingKeysWith: { first, _ in first })
    children = Dictionary(grouping: rows.filter { $0.kind == .header && $0.parent != nil }) { $0.parent ?? branch }
    lives = try Self.lives(of: rows, branch, in: storage)
    for node in rows { judge(node.cloudID) }
  }

  /// The lines of the versions that the latest records name.
  private static func lives(
    of rows: [StoredNode], _ branch: CloudID, in storage: any CloudStorageReader
  ) throws -> [CloudID: UInt64] {
    var wanted: [CloudID: UInt64] = [:]
    for row in rows { wanted[row.cloudID] = try row.revived }
    wanted = wanted.filter { $0.value > 0 }
    var (lives, counts): ([CloudID: UInt64], [CloudID: UInt64]) = ([:], [:])
    var last: UInt64 = 0
    while !wanted.isEmpty {
      let lines = try storage.lines(of: branch, after: last, limit: share)
      guard let end = lines.last else { break }
      for line in lines where line.kind != .permissions {
        guard let version = wanted[line.cloudID] else { continue }
        counts[line.cloudID, default: 0] += 1
        if counts[line.cloudID] == version { lives[line.cloudID] = line.number }
      }
      last = end.number
    }
    return lives
  }

  /// Upwards until something is known; what hangs in a circle, too deep or nowhere does not live.
  private mutating func judge(_ cloudID: CloudID) {
    var (path, met): ([CloudID], Set<CloudID>) = ([], [])
    var here: CloudID? = cloudID
    while let node = here, levels[node] == nil, met.insert(node).inserted {
      path.append(node)
      here = node == branch ? nil : nodes[node]?.parent
    }
    for node in path.reversed() { levels[node] = level(of: node) }
  }

  private func level(of cloudID: CloudID) -> Int {
    // A branch root need not have a header.
    guard let node = nodes[cloudID] else { return cloudID == branch ? 0 : Self.dead }
    guard node.kind == .header else { return Self.dead }
    guard let parent = node.parent else { return cloudID == branch ? 0 : Self.dead }
    guard let above = levels[parent], node.line > (lives[parent] ?? 0), above < Self.dead else { return Self.dead }
    return above + 1
  }

  private func lives(_ cloudID: CloudID) -> Bool { (levels[cloudID] ?? Self.dead) <= Limits.depth }

  /// Refuses the end of a life that takes what its author had not read (spec §5.1, rule 10; §5.6), told from what stands there now.
  func requireSeen(_ record: Restoration.Record, at line: UInt64) throws(Refusal) {
    switch record {
    case .tombstone(let tombstone):
      let body = tombstone.body
      let read = body.burned == nil ? body.author.read.line : 0
      let isUnseen = hasLine(after: read, before: line, below: body.cloudID, since: lives[body.cloudID] ?? 0)
      if isUnseen { throw body.burned == nil ? Refusal.unseenChildren : Refusal.letterMissing }
    case .header(let header):
      let body = header.body
      guard body.version > 1, body.revived == body.version else { return }
      if hasLine(after: body.author.read.line, before: line, below: body.cloudID, since: 0) { throw .unseenChildren }
    case .permissions, .superseded: return
    }
  }

  /// What hangs deeper than anything lives is not looked at, so that many ends in a row take no longer than their nodes.
  private func hasLine(after read: UInt64, before line: UInt64, below top: CloudID, since life: UInt64) -> Bool {
    var (above, met): ([(CloudID, UInt64, Int)], Set<CloudID>) = ([(top, life, 0)], [top])
    while let (node, life, depth) = above.popLast() {
      guard depth < Limits.depth else { continue }
      for child in children[node] ?? [] where child.line < line && child.line > life {
        if child.line > read { return true }
        guard met.insert(child.cloudID).inserted else { continue }
        above.append((child.cloudID, lives[child.cloudID] ?? 0, depth + 1))
      }
    }
    return false
  }

  /// Marks what is gone first, so that its names are free for what lives.
  func mark(in storage: any CloudStorageTransaction) throws {
    var names: Set<[UInt8]> = []
    for node in nodes.values where lives(node.cloudID) {
      guard let parent = node.parent, let token = node.nameToken else { continue }
      guard names.insert(parent.bytes + token.bytes).inserted else { throw Refusal.nameTaken }
    }
    for node in nodes.values.sorted(by: { $0.line < $1.line }) where node.kind == .header && !lives(node.cloudID) {
      try storage.setGone(true, node.cloudID, in: branch)
      try storage.dropContents(of: node.cloudID, in: branch)
    }
    for node in nodes.values where node.kind == .header && node.isGone && lives(node.cloudID) {
      try storage.setGone(false, node.cloudID, in: branch)
    }
  }
}

extension StoredNode {
  /// With which version the life of the record in the row began.
  fileprivate var revived: UInt64 {
    get throws {
      if kind == .header { return try header().revived }
      guard let body = try? TombstoneBody(decoding: record.body) else { throw StorageFailure.damaged }
      return body.revived
    }
  }
}
