/// For each replica the highest stamp that a document has seen, or that a deletion covers (spec §7.2).
public struct CausalContext: Hashable, Sendable {
  /// How many replicas it names. When there are more, the least stamps go, and everything below those that stay counts
  /// as covered, so that a document stays small however many write it.
  package static let limit = 400

  /// One stamp of each replica, by replica.
  public private(set) var stamps: [Stamp] = []

  public init() {}

  package init(_ stamps: some Sequence<Stamp>) {
    for stamp in stamps { insert(stamp) }
    shorten()
  }

  /// Whether it holds nothing.
  public var isEmpty: Bool { stamps.isEmpty }

  /// The latest time of all.
  var highest: UInt64 { stamps.lazy.map(\.time).max() ?? 0 }

  /// The highest time of one replica.
  package subscript(replica: Replica) -> UInt64? {
    let index = place(of: replica)
    return index < stamps.count && stamps[index].replica == replica ? stamps[index].time : nil
  }

  /// Remembers a stamp; a lower time than the one known changes nothing.
  package mutating func add(_ stamp: Stamp) {
    insert(stamp)
    shorten()
  }

  /// Whether it has seen this stamp: its replica is here with at least its time, or it lies below all that is here.
  public func covers(_ stamp: Stamp) -> Bool { names(stamp) || forgets(stamp) }

  /// Whether a stamp's replica is here with at least its time.
  func names(_ stamp: Stamp) -> Bool { self[stamp.replica].map { $0 >= stamp.time } ?? false }

  /// Whether a stamp lies below a full context: what it says of that replica may be gone.
  func forgets(_ stamp: Stamp) -> Bool {
    guard stamps.count >= Self.limit, let least = stamps.min() else { return false }
    return stamp < least
  }

  package func joined(_ other: CausalContext) -> CausalContext {
    if stamps == other.stamps { return self }
    var joined = self
    for stamp in other.stamps { joined.insert(stamp) }
    joined.shorten()
    return joined
  }

  /// What stands for a replica from now on, whatever was known of it; nil takes it away.
  mutating func replace(_ replica: Replica, with time: UInt64?) {
    stamps.removeAll { $0.replica == replica }
    if let time { insert(Stamp(time: time, replica: replica)) }
  }

  private mutating func insert(_ stamp: Stamp) {
    let index = place(of: stamp.replica)
    if index < stamps.count, stamps[index].replica == stamp.replica {
      stamps[index].time = max(stamps[index].time, stamp.time)
    } else {
      stamps.insert(stamp, at: index)
    }
  }

  private mutating func shorten() {
    guard stamps.count > Self.limit else { return }
    stamps = stamps.sorted().suffix(Self.limit).sorted { $0.replica < $1.replica }
  }

  /// Where a replica stands, or would.
  private func place(of replica: Replica) -> Int {
    var low = 0
    var high = stamps.count
    while low < high {
      let middle = (low + high) / 2
      if stamps[middle].replica < replica { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
