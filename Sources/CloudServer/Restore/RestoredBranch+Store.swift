import CloudAPI
import Signing

extension RestoredBranch {
  /// Appends what was judged, and keeps of each node its last row, with those of its contents that are still here.
  func store(in storage: any CloudStorageTransaction) throws {
    guard !records.isEmpty else { return }
    var last: [CloudID: Int] = [:]
    for (index, part) in records.enumerated() {
      try storage.append(part.line, head: part.head, to: branch)
      if case .permissions(let permissions) = part.record {
        try storage.putInForce(permissions, at: part.line.number)
      } else {
        last[part.line.cloudID] = index
      }
    }
    for index in last.values.sorted() {
      // Every node of these lines ends with a record: what has none was vouched for by a later one.
      try keep(records[index].line, records[index].record, in: storage)
    }
    try LiveNodes(of: branch, in: storage).mark(in: storage)
    for index in last.values.sorted() { try keepContents(records[index].line, records[index].record, in: storage) }
  }

  /// As gone, until it is known what lives.
  private func keep(_ line: Line, _ record: Record, in storage: any CloudStorageTransaction) throws {
    switch record {
    case .header(let header):
      let body = header.body
      try storage.store(
        StoredNode(
          cloudID: body.cloudID, line: line.number, lines: body.version, kind: .header, hash: header.hash,
          record: header.record, parent: body.parent, nameToken: body.nameToken, isGone: true), in: branch)
      if body.recipient != nil { try storage.noteMessage(body.cloudID, in: branch, by: body.author.user) }
    case .tombstone(let tombstone):
      let before = try storage.node(line.cloudID, in: branch)
      try storage.store(
        StoredNode(
          cloudID: line.cloudID, line: line.number, lines: tombstone.body.version, kind: .tombstone,
          hash: tombstone.hash, record: tombstone.record, parent: before?.parent, nameToken: before?.nameToken),
        in: branch)
    case .permissions, .superseded: throw Refusal.rowMissing
    }
  }

  private func keepContents(_ line: Line, _ record: Record, in storage: any CloudStorageTransaction) throws {
    guard case .header(let header) = record, try storage.node(line.cloudID, in: branch)?.isLive == true else {
      return try storage.setContents([], of: line.cloudID, in: branch)
    }
    let here = try header.body.contents.filter { try storage.contentHash($0.content, in: branch) == $0.hash }
    try storage.setContents(here, of: line.cloudID, in: branch)
  }
}

/// Which nodes of a branch live, told from their latest rows alone (spec §5.1, rule 8).
private struct LiveNodes {
  let branch: CloudID
  let nodes: [CloudID: StoredNode]
  /// With which line a node's present life began; 0 with its first.
  private var lives: [CloudID: UInt64] = [:]
  private var known: [CloudID: Bool] = [:]

  init(of branch: CloudID, in storage: any CloudStorageReader) throws {
    self.branch = branch
    let rows = try storage.nodes(of: branch)
    nodes = Dictionary(rows.map { ($0.cloudID, $0) }, uniquingKeysWith: { first, _ in first })
    var lines: [CloudID: [Line]] = [:]
    for line in try storage.lines(of: branch, after: 0, limit: .max) where line.kind != .permissions {
      lines[line.cloudID, default: []].append(line)
    }
    for node in rows where node.kind == .header {
      lives[node.cloudID] = try Self.life(of: node.header(), lines[node.cloudID] ?? [])
    }
    for node in rows { judge(node.cloudID) }
  }

  private static func life(of header: HeaderBody, _ lines: [Line]) -> UInt64 {
    let declared = header.revived == 0 ? nil : Int(exactly: header.revived - 1)
    let back = declared.flatMap { $0 < lines.count ? lines[$0].number : nil } ?? 0
    guard let grave = lines.last(where: { $0.kind == .tombstone })?.number, grave >= back else { return back }
    return lines.first { $0.kind == .header && $0.number > grave }?.number ?? back
  }

  /// Upwards until something is known; what hangs in a circle or nowhere does not live.
  private mutating func judge(_ cloudID: CloudID) {
    var path: [CloudID] = []
    var here: CloudID? = cloudID
    while let node = here, known[node] == nil, path.count <= Limits.depth + 1 {
      path.append(node)
      here = node == branch ? nil : nodes[node]?.parent
    }
    for node in path.reversed() { known[node] = lives(node) }
  }

  private func lives(_ cloudID: CloudID) -> Bool {
    // A branch root need not have a header.
    guard let node = nodes[cloudID] else { return cloudID == branch }
    guard node.kind == .header else { return false }
    guard let parent = node.parent else { return cloudID == branch }
    return known[parent] == true && node.line > (lives[parent] ?? 0)
  }

  /// Marks what is gone first, so that its names are free for what lives.
  func mark(in storage: any CloudStorageTransaction) throws {
    var names: Set<[UInt8]> = []
    for node in nodes.values where known[node.cloudID] == true {
      guard let parent = node.parent, let token = node.nameToken else { continue }
      guard names.insert(parent.bytes + token.bytes).inserted else { throw Refusal.nameTaken }
    }
    for node in nodes.values.sorted(by: { $0.line < $1.line }) where node.kind == .header && known[node.cloudID] != true
    {
      try storage.setGone(true, node.cloudID, in: branch)
      try storage.setContents([], of: node.cloudID, in: branch)
    }
    for node in nodes.values where node.kind == .header && known[node.cloudID] == true && node.isGone {
      try storage.setGone(false, node.cloudID, in: branch)
    }
  }
}
