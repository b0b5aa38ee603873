import CloudAPI
import NIOCore

/// How long and how slowly one may talk to the server, so that slow senders hold no place (spec §6.4).
public struct HTTPLimits: Sendable {
  /// Until a request's head is there, from the connection's beginning or the answer before.
  public var headSeconds: Int64 = 30
  /// The same while three quarters of the connections are taken.
  public var crowdedHeadSeconds: Int64 = 5
  /// Until the request is whole, from its head.
  public var requestSeconds: Int64 = 30
  /// The same for a part of a file.
  public var partSeconds: Int64 = 600
  /// After which the body must come with `bytesPerSecond`.
  public var graceSeconds: Int64 = 5
  /// Of the body, on average after the grace.
  public var bytesPerSecond: Int64 = 4096
  /// Until the answer is taken: a full page at the same rate, and a little more. What has been taken gives more time, at this rate too.
  public var answerSeconds: Int64 = 300
  /// At once; others wait to be accepted. Each may hold one body in memory.
  public var connections = 512
  /// At once, of one address; more are closed.
  public var connectionsOfAddress = 64
  /// Whether connections from this machine are counted as well: as a rule they are a proxy's, and anybody's.
  public var countsLoopback = false
  /// Proxies on other machines: who their connections are from, they say in `x-forwarded-for`.
  public var proxies: [AddressRange] = []
  /// Requests that are worked on at once. Storage takes one at a time; the others are checked meanwhile.
  public var threads = 4

  /// Between two signs of life in an event stream.
  public var heartbeatSeconds: Int64 = 20
  /// Of an event stream, until the listener has to come again.
  public var streamSeconds: Int64 = 3600
  /// Of an event stream, without anything being taken of what is to be sent.
  public var stallSeconds: Int64 = 30

  /// The limits of the specification.
  public init() {}
}
