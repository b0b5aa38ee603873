/// When, and by which replica, something was written (docs/spec/07-documents.md).
public struct Stamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, or one more than the highest stamp its writer had seen in the document.
  public var time: UInt64
  /// The writing profile's replica id.
  public var replica: Replica

  public init(time: UInt64, replica: Replica) {
    self.time = time
    self.replica = replica
  }

  public static func < (a: Stamp, b: Stamp) -> Bool {
    a.time != b.time ? a.time < b.time : a.replica < b.replica
  }
}
