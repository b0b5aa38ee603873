public import CloudAPI

/// Where a node is: a trunk and names below it, as in `home://Groceries/Milk`. Any UTF-8 is legal in a name.
public struct Treepath: Hashable, Sendable, CustomStringConvertible {
  /// Where it begins.
  public let trunk: Trunk
  /// The names below the trunk, outermost first.
  public let components: [String]

  /// Below a trunk; without names, the trunk itself.
  public init(_ trunk: Trunk, _ components: String...) { self.init(trunk, components) }

  /// Below a trunk; without names, the trunk itself.
  public init(_ trunk: Trunk, _ components: [String]) {
    self.trunk = trunk
    self.components = components
  }

  /// The path above; nil for a trunk.
  public var parent: Treepath? { components.isEmpty ? nil : Treepath(trunk, Array(components.dropLast())) }

  public var description: String { "\(trunk.rawValue)://\(components.joined(separator: "/"))" }
}
