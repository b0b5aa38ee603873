import Signing

/// What letters let their holders put and delete (spec §3.6).
extension PermissionsBody {
  /// Whether the author may put this header.
  func admits(_ header: HeaderBody) -> Bool { entries(for: header.author).contains { $0.admits(header) } }

  /// Whether the author may delete this node. Where it takes the branch's root, the branch is the author's.
  func admits(_ tombstone: TombstoneBody) -> Bool {
    guard tombstone.cloudID != tombstone.branch || tombstone.author.user == owner || Defence.rootOwner.isDown else {
      return false
    }
    return entries(for: tombstone.author).contains { $0.admits(tombstone) }
  }

  /// The author's own entry and anyone's. One of them has to do: what narrows one takes nothing from the other. Who has an entry without
  /// letters is refused, whatever anyone may do.
  private func entries(for author: Author) -> [PermissionsEntry] {
    if refuses(author.user) { return [] }
    return [entry(of: author.user), entry(of: nil)].compactMap { $0 }
  }
}

extension PermissionsEntry {
  /// Under anyone's entry only messages are put.
  fileprivate func admits(_ header: HeaderBody) -> Bool {
    guard user != nil || header.recipient != nil else { return false }
    if letters.contains(.recordsOnly), header.contents.contains(where: { $0.section != .metadata }) { return false }
    if letters.contains(.leavesOnly), header.parent != header.branch { return false }
    if letters.contains(.userOnly), header.isNamedAfterItsAuthor, header.parent == header.branch { return true }
    if header.recipient != nil { return letters.contains(.writeOnce) }
    return letters.contains(.write) || letters.contains(.writeOnce) && header.version == 1 && header.parent != nil
  }

  fileprivate func admits(_ tombstone: TombstoneBody) -> Bool {
    letters.contains(.write) || letters.contains(.burn) && (tombstone.burnsOwn || Defence.burning.isDown)
  }
}

extension HeaderBody {
  /// Whether this is the one node of its branch that belongs to who signed it.
  package var isNamedAfterItsAuthor: Bool { cloudID == CloudID(ownNodeOf: author.user, in: branch) }
}

extension TombstoneBody {
  /// Whether it shows that the header which it takes is its author's own.
  fileprivate var burnsOwn: Bool {
    // No other line fits between a first version and this: what nobody signed cannot stand for it.
    guard let burned, let header = try? HeaderBody(decoding: burned.body), header.version + 1 == version,
      header.version == 1 || header.isNamedAfterItsAuthor
    else { return false }
    return header.author.user == author.user
  }
}
