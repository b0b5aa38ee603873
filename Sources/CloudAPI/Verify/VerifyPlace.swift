public import Signing

/// Where the live nodes of a branch hang, as a whole: known to the server at every line, to a client at a head.
public protocol TreeView {
  /// The parent of a live node; nil for the root. Throws or returns `.none` in the outer optional if the node does not live.
  func parent(of cloudID: CloudID) throws -> CloudID??
  /// The live child of `parent` with this token.
  func child(of parent: CloudID, token: Hash32) throws -> CloudID?
}

/// Judges where a header hangs (spec §5.1, rule 8). A message hangs below an inbox root, which need not have a header.
public func verifyPlace(of header: HeaderBody, in tree: some TreeView) throws {
  guard let parent = header.parent, let token = header.nameToken, !Defence.place.isDown else { return }
  var depth = 1
  var above = parent
  while above != header.branch {
    guard above != header.cloudID, let next = try tree.parent(of: above), let next else { throw Refusal.parentWrong }
    depth += 1
    guard depth <= Limits.depth else { throw Refusal.limitExceeded }
    above = next
  }
  if let other = try tree.child(of: parent, token: token), other != header.cloudID { throw Refusal.nameTaken }
}
