/// What was done in storage, counted where it is done: so no verb can forget to count.
public struct Work: Equatable, Sendable {
  public var statements = 0
  /// Read or changed.
  public var rows = 0
  /// Of records and contents, read or kept.
  public var bytes = 0

  public init(statements: Int = 0, rows: Int = 0, bytes: Int = 0) {
    (self.statements, self.rows, self.bytes) = (statements, rows, bytes)
  }

  static func + (one: Work, other: Work) -> Work {
    Work(
      statements: one.statements + other.statements, rows: one.rows + other.rows, bytes: one.bytes + other.bytes)
  }

  /// As much as there is to do.
  static let endless = Work(statements: .max, rows: .max, bytes: .max)

  /// Whether none of the three is more than another's.
  func fits(_ budget: Work) -> Bool {
    statements <= budget.statements && rows <= budget.rows && bytes <= budget.bytes
  }
}

/// A transaction would have done more than it may. Nothing of it is kept.
struct WorkExceeded: Error {}

/// Counts what one transaction does, and ends it where that is too much.
final class WorkMeter {
  private(set) var done = Work()
  private var budget: Work

  init(_ budget: Work) { self.budget = budget }

  /// Allows more, for what is more by its nature.
  func allow(_ budget: Work) { self.budget = budget }

  func count(statements: Int = 0, rows: Int = 0, bytes: Int = 0) throws {
    done = done + Work(statements: statements, rows: rows, bytes: bytes)
    guard done.fits(budget) else { throw WorkExceeded() }
  }
}
