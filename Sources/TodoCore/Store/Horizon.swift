import CloudAPI
import GRDB
import Signing
import Treesystem

/// How far ahead of the time a stamp may be (spec §7.2), for one document.
struct Horizon {
  /// A machine whose clock shows the time of another zone is wrong by up to 14 hours: nobody is hurt for that.
  static let patience: Int64 = 24 * 60 * 60 * 1000

  /// The last time that is believed: by the later of this machine's clock and the server's. What is here already was believed when this profile
  /// synced last, and still is where the machine's clock went back since.
  let last: UInt64
  /// The last time that others believe, of what this profile has not sent: by the server's clock.
  let lastOwn: UInt64
  /// Now, by the server's clock.
  let now: UInt64
  /// This profile's own, and the highest of its stamps that the server has.
  let replica: Replica?
  let confirmed: UInt64

  /// Whether somebody's stamp is later than any honest clock.
  func isBeyond(_ stamp: Stamp) -> Bool { stamp.time > last }

  /// Whether it is this profile's own, not sent, and later than others believe.
  func isOwnAhead(_ stamp: Stamp) -> Bool {
    stamp.replica == replica && stamp.time > confirmed && stamp.time > lastOwn
  }
}

extension CloudTransaction {
  /// How far ahead a document's stamps may be.
  /// - Parameter synced: when what is in the document was believed last.
  func horizon(confirmed: UInt64?, synced: Int64 = 0) throws -> Horizon {
    let server = try serverTime()
    let latest = max(clock.now(), server, synced)
    func time(_ milliseconds: Int64) -> UInt64 { UInt64(max(0, milliseconds)) }
    return Horizon(
      last: time(latest) + time(Horizon.patience), lastOwn: time(server) + time(Horizon.patience),
      now: time(server), replica: try knownReplica(), confirmed: confirmed ?? .max)
  }

  /// When this profile synced last, by the later of this machine's clock of then and the server's; 0 if it never did.
  fileprivate func timeOfLastSync() throws -> Int64 {
    guard let synced = try lastSync() else { return 0 }
    let (byServer, overflow) = synced.subtractingReportingOverflow(try clockAhead() ?? 0)
    return overflow ? synced : max(synced, byServer)
  }

  /// Reads a version of a node. One from the server and from beyond the horizon waits in quarantine until that time has come, or somebody writes
  /// another. What nobody signed was kept on this device, and is brought back when it is sent.
  func content(of data: NodeData, at node: Node) throws -> VersionedDocument {
    let content = VersionedDocument(try Document(bytes: data.data), history: try History(bytes: data.history))
    guard node.device != nil, content.latest > UInt64(max(0, clock.now())) else { return content }
    if try content.latest > horizon(confirmed: nil).last { throw Refusal.stampAhead }
    return content
  }
}

extension CloudTransaction {
  /// The highest of this profile's stamps in what it kept of a node that the server can have, if there are any that are too far ahead for that.
  func sentAtMost(_ content: VersionedDocument, of node: Node) throws -> UInt64? {
    guard node.device == nil else { return nil }
    let horizon = try horizon(confirmed: 0)
    let own = (content.document.context.stamps + content.history.overwritten.map(\.stamp)).filter {
      $0.replica == horizon.replica
    }
    guard own.contains(where: horizon.isOwnAhead) else { return nil }
    return (own + content.document.writes.map(\.stamp)).filter {
      $0.replica == horizon.replica && !horizon.isOwnAhead($0)
    }
    .map(\.time).max() ?? 0
  }
}

extension StoredDocument {
  /// The document of a node as it may be written, joined and sent: what stands beyond the horizon is brought back, also in what can be undone.
  func broughtBack(of node: NodeID, in transaction: CloudTransaction) throws -> VersionedDocument {
    // Nearly every document is of the past, and needs no other look.
    guard content.latest > UInt64(max(0, try transaction.earlierTime())) else { return content }
    // What was sealed may be there already, though no answer came: it keeps its times.
    let sent = confirmed.map { max($0, self.sent ?? 0) }
    let horizon = try transaction.horizon(confirmed: sent, synced: transaction.timeOfLastSync())
    let (content, times) = self.content.broughtBack(to: horizon)
    if let replica = horizon.replica { try transaction.restampSteps(of: node, replica, times) }
    return content
  }
}

extension VersionedDocument {
  /// The latest time of all stamps.
  var latest: UInt64 {
    Defect.horizonForgotten.isPlanted ? 0 : max(document.context.highest, history.overwritten.last?.stamp.time ?? 0)
  }

  /// The same without anything from beyond the horizon, and the times that this profile's own writes have got, by those that they had.
  func broughtBack(to horizon: Horizon) -> (VersionedDocument, times: [UInt64: UInt64]) {
    guard latest > min(horizon.last, horizon.lastOwn) else { return (self, [:]) }
    var document = document
    let (kept, times) = document.bringBack(to: horizon, overwritten: history.overwritten)
    return (VersionedDocument(document, history: History(kept)), times)
  }
}

extension Document {
  /// Gives what this profile has not sent a stamp of now, in its order, and what somebody else wrote at the end of time the least of all:
  /// it stays until somebody writes that field, and then gives way.
  /// - Returns: what was overwritten, in the same way; what others wrote at the end of time is none of it. And this profile's times.
  fileprivate mutating func bringBack(
    to horizon: Horizon, overwritten: [Register]
  ) -> (overwritten: [Register], times: [UInt64: UInt64]) {
    let wasDeleted = isDeleted
    let written = (registers + elements).map(\.stamp)
    let staying = (context.stamps + written).filter { !horizon.isBeyond($0) && !horizon.isOwnAhead($0) }
    let own = Set((written + overwritten.map(\.stamp)).filter(horizon.isOwnAhead).map(\.time)).sorted()
    // The context names one stamp of each replica, and this one's is ahead: what the server has of it is less, and may be later than now.
    let confirmed: UInt64 = own.isEmpty ? 0 : horizon.confirmed
    let seen: UInt64 = max(confirmed, staying.map(\.time).max() ?? 0)
    let first = max(horizon.now, seen + 1)
    let times = Dictionary(uniqueKeysWithValues: own.enumerated().map { ($1, first + UInt64($0)) })
    func moved(_ stamp: Stamp) -> Stamp {
      if horizon.isOwnAhead(stamp) {
        return Stamp(time: times[stamp.time] ?? horizon.confirmed, replica: stamp.replica)
      }
      return horizon.isBeyond(stamp) ? Stamp(time: 0, replica: stamp.replica) : stamp
    }
    func moved(_ register: Register) -> Register {
      var register = register
      register.stamp = moved(register.stamp)
      return register
    }
    registers = registers.map(moved)
    elements = Set(elements.map(moved)).sorted()
    context = CausalContext(context.stamps.map(moved) + (registers + elements).map(\.stamp))
    deleted = CausalContext(deleted.stamps.map(moved))
    if wasDeleted { delete() }
    forget()
    let kept = overwritten.filter { horizon.isOwnAhead($0.stamp) || !horizon.isBeyond($0.stamp) }.map(moved)
    return (kept, times)
  }
}
