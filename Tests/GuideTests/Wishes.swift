import Treesystem

/// An app whose nodes hold lines of text, as a tag beside the node. Lines are only ever added.
struct Wishes: TreesystemDelegate {
  func content(of node: Node, in transaction: CloudTransaction) throws -> NodeData {
    if let file = try transaction.file(of: node.id) { return NodeData(file: file) }
    return NodeData(data: try transaction.tag(forNodeID: node.id, withIdentifier: "lines") ?? [])
  }

  func receive(_ discovery: Discovery, in transaction: CloudTransaction) throws -> Merge {
    switch discovery {
    case .put(let node, let content):
      let here = try transaction.wishes(node)
      let there = Set(lines: content.data)
      try transaction.setWishes(here.union(there), of: node)
      return here.isSubset(of: there) ? .settled : .differs
    case .reset(let node, let content):
      try transaction.setWishes(Set(lines: content.data), of: node)
    case .moved, .deleted, .pushed, .discarded, .permitted, .denied: break
    }
    return .settled
  }
}

extension CloudTransaction {
  func addWish(_ wish: String, to node: Node) throws {
    try setWishes(wishes(node).union([wish]), of: node)
    try queueDataUpload(forNodeID: node.id)
  }

  func wishes(_ node: Node) throws -> Set<String> {
    Set(lines: try tag(forNodeID: node.id, withIdentifier: "lines") ?? [])
  }

  func setWishes(_ wishes: Set<String>, of node: Node) throws {
    let lines = wishes.sorted().joined(separator: "\n")
    try setTag(Array(lines.utf8), forNodeID: node.id, withIdentifier: "lines")
  }
}

extension Set<String> {
  init(lines: [UInt8]) {
    self.init(String(decoding: lines, as: UTF8.self).split(separator: "\n").map(String.init))
  }
}
