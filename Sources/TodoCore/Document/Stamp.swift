/// When, and by which replica, a register was written (docs/spec/07-documents.md).
public struct Stamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970, or one more than the highest stamp its writer had seen in the document.
  public var time: UInt64
  /// The writing profile's replica id.
  public var replica: [UInt8]

  /// Of a replica id, in bytes: one length, so that nobody can make one that is greater than all others.
  static let replicaLength = 8

  public init(time: UInt64, replica: [UInt8]) {
    self.time = time
    self.replica = replica
  }

  public static func < (a: Stamp, b: Stamp) -> Bool {
    a.time != b.time ? a.time < b.time : a.replica.lexicographicallyPrecedes(b.replica)
  }
}

/// For each replica the highest stamp time that a document has seen, or that a deletion covers.
public struct CausalContext: Hashable, Sendable {
  /// Times by replica.
  public private(set) var times: [[UInt8]: UInt64] = [:]

  public init() {}

  init(_ stamps: some Sequence<Stamp>) {
    for stamp in stamps { add(stamp) }
  }

  /// Whether it holds nothing.
  public var isEmpty: Bool { times.isEmpty }

  /// The stamps, by replica.
  public var stamps: [Stamp] {
    times.map { Stamp(time: $0.value, replica: $0.key) }
      .sorted { $0.replica.lexicographicallyPrecedes($1.replica) }
  }

  /// Remembers a stamp; a lower time than the one known changes nothing.
  public mutating func add(_ stamp: Stamp) {
    times[stamp.replica] = max(times[stamp.replica] ?? 0, stamp.time)
  }

  /// Whether a stamp's replica is here with at least its time.
  public func covers(_ stamp: Stamp) -> Bool {
    times[stamp.replica].map { $0 >= stamp.time } ?? false
  }

  func joined(_ other: CausalContext) -> CausalContext {
    var joined = self
    joined.times.merge(other.times, uniquingKeysWith: max)
    return joined
  }
}
