import Signing
import Treesystem

/// The place between two neighbours that something is moved to. Where it has become too narrow, neighbours on either side
/// get new keys as well.
struct OrderGap {
  /// Something in an order.
  struct Placed {
    let node: NodeID
    var key: OrderKey?
    /// When it was put there; nil where it stands because of when it was made.
    var moved: Stamp?
  }

  /// Of a key beside which there is always room.
  private static let shortKey = 32
  /// How many neighbours get a new key, at most.
  private static let most = 200

  private(set) var lower: Placed?
  private(set) var upper: Placed?
  /// What gets a new key, in order.
  private var placed: [Placed]

  init(lower: Placed?, upper: Placed?, moved: Placed) {
    self.lower = lower
    self.upper = upper
    placed = [moved]
  }

  /// The side on which a neighbour has to get a new key; nil where there is room.
  var narrowSide: OrderKey.Side? {
    if placed.count > Self.most { return nil }
    if let below = lower?.key, let above = upper?.key, below >= above { return .upper }
    guard placed.count > 1 || OrderKey.between(lower?.key, upper?.key, near: .middle, chance: 0) == nil else {
      return nil
    }
    if let key = lower?.key, key.text.utf8.count > Self.shortKey { return .lower }
    if let key = upper?.key, key.text.utf8.count > Self.shortKey { return .upper }
    return nil
  }

  /// Lets the neighbour on a side get a new key; beyond it stands `next`.
  mutating func widen(_ side: OrderKey.Side, to next: Placed?) {
    if side == .lower {
      if let lower { placed.insert(lower, at: 0) }
      lower = next
    } else {
      if let upper { placed.append(upper) }
      upper = next
    }
  }

  /// The new keys, in order.
  func keys(_ entropy: any Entropy) -> [(node: NodeID, key: OrderKey)] {
    var last = lower?.key
    var keys: [(node: NodeID, key: OrderKey)] = []
    for place in placed {
      let chance = entropy.bytes(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      let side = placed.count == 1 ? newerSide : .lower
      guard let key = OrderKey.between(last, upper?.key, near: side, chance: chance) else { break }
      keys.append((place.node, key))
      last = key
    }
    return keys
  }

  /// Whoever puts many into one place puts each beside the last.
  private var newerSide: OrderKey.Side {
    if upper == nil { return .lower }
    if lower == nil { return .upper }
    switch (lower?.moved, upper?.moved) {
    case (nil, nil): return .middle
    case (let lower?, let upper?): return lower > upper ? .lower : .upper
    case (_?, nil): return .lower
    case (nil, _?): return .upper
    }
  }
}
