/// A user's letters on a branch (spec §3). People see roles.
public struct Letters: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let read = Letters(rawValue: 1)
  public static let write = Letters(rawValue: 2)
  public static let share = Letters(rawValue: 4)
  public static let recordsOnly = Letters(rawValue: 8)
  public static let leavesOnly = Letters(rawValue: 16)
  public static let userOnly = Letters(rawValue: 32)
  public static let writeOnce = Letters(rawValue: 64)
  public static let burn = Letters(rawValue: 128)
  public static let all = Letters(rawValue: 255)
}
