public import CloudAPI

/// What somebody is given on a branch.
public struct ShareItem: Hashable, Sendable {
  /// What they may do.
  public var letters: Letters

  /// These letters, of which people see a role.
  public init(letters: Letters) { self.letters = letters }

  /// The letters of a role. Nobody is made an owner this way.
  public init(role: Role) {
    switch role {
    case .viewer: letters = [.read]
    case .editor: letters = [.read, .write]
    case .admin, .owner: letters = [.read, .write, .share]
    }
  }
}

extension Role {
  /// The role that letters amount to.
  public init(_ letters: Letters, isOwner: Bool) {
    if isOwner {
      self = .owner
    } else if letters.contains(.share) {
      self = .admin
    } else {
      self = letters.contains(.write) ? .editor : .viewer
    }
  }
}
