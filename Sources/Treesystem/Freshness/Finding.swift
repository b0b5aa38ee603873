import CloudAPI
public import Signing

/// Two things that cannot both be true of one branch: what was read here, and what the server or an author says (spec §4.4).
public struct Finding: Sendable {
  /// What cannot be true.
  public enum Kind: String, Sendable {
    /// Two values of one log hash.
    case fork
    /// The server's log ends before what was read of it, or before what it acknowledged.
    case rollback
    /// The server keeps something back that has to be there.
    case omission
  }

  /// The device of somebody who signed a record of a history.
  public struct Signer: Hashable, Sendable {
    /// Whose it is.
    public let user: UserID
    /// Which of their devices signed.
    public let device: DeviceID

    /// A device of a user's.
    public init(user: UserID, device: DeviceID) {
      self.user = user
      self.device = device
    }

    init(_ author: Author) { self.init(user: author.user, device: author.device) }
  }

  /// What people call it by.
  public let number: Int64
  /// Where it was found.
  public let branch: CloudID
  /// What it is.
  public let kind: Kind
  /// From which line on the two differ, as far as that is known.
  public let line: UInt64
  /// What stands there here; nil where nothing does.
  public let known: Hash32?
  /// What stands there by the other's word.
  public let told: Hash32
  /// Who signed a record of the history that was read here; of a line of one's own that was dropped, oneself.
  public let knownBy: Signer?
  /// Who signed a record of the other history.
  public let toldBy: Signer?
  /// In milliseconds since 1970, like all times here.
  public let firstSeen: Int64
  /// Milliseconds since 1970.
  public let lastSeen: Int64
  /// Since when it is proven to be over; nil while it is not.
  public let ended: Int64?

  package init(
    number: Int64, branch: CloudID, kind: Kind, line: UInt64, known: Hash32?, told: Hash32, knownBy: Signer?,
    toldBy: Signer?, firstSeen: Int64, lastSeen: Int64, ended: Int64?
  ) {
    self.number = number
    self.branch = branch
    self.kind = kind
    self.line = line
    self.known = known
    self.told = told
    self.knownBy = knownBy
    self.toldBy = toldBy
    self.firstSeen = firstSeen
    self.lastSeen = lastSeen
    self.ended = ended
  }
}

/// A contradiction that has not been noted yet. Thrown where nothing more of a branch may be believed.
struct Contradiction: Error {
  var kind: Finding.Kind
  var line: UInt64
  var known: Hash32?
  var told: Hash32
  var knownBy: Finding.Signer?
  var toldBy: Finding.Signer?
  /// Why the record that tells of it is not believed by itself.
  var reason: Refusal?
}
