public import CloudAPI

/// Where a node is: a trunk and names below it, as in `home://Groceries/Milk`. Any UTF-8 is legal in a name.
public struct Treepath: Hashable, Sendable, CustomStringConvertible {
  public let trunk: Trunk
  public let components: [String]

  public init(_ trunk: Trunk, _ components: String...) { self.init(trunk, components) }

  public init(_ trunk: Trunk, _ components: [String]) {
    self.trunk = trunk
    self.components = components
  }

  /// The path above; nil for a trunk.
  public var parent: Treepath? { components.isEmpty ? nil : Treepath(trunk, Array(components.dropLast())) }

  public var description: String { "\(trunk.rawValue)://\(components.joined(separator: "/"))" }
}
