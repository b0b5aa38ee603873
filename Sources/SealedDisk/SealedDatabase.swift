import GRDBSQLite
public import Sealing

/// A database that may be sealed, by its path.
public struct SealedDatabase: Sendable {
  public let path: String

  public init(path: String) { self.path = path }

  /// Its key, under a passphrase.
  public var keyFile: WholeFile { WholeFile(path: path + ".key") }

  /// What is to take the database's place. Nothing but this program's end leaves one.
  var draft: WholeFile { WholeFile(path: path + ".new") }

  /// The key file while it is open whether it is needed: before the database is sealed, and before it is not any more.
  var keyDraft: WholeFile { WholeFile(path: path + ".key.new") }

  /// Whose key seals it; nil where it is not sealed, or not there. Throws `SealFailure.newer`, and `SealFailure.unreadable` where that
  /// cannot be told.
  public func key() throws(SealFailure) -> DatabaseKeyID? {
    guard case .sealed(let header) = try DatabaseForm(path: path) else { return nil }
    guard header.suite == 1 else { throw .newer }
    return header.id
  }

  /// What opens it: nil where it is not sealed. Throws `SealFailure.locked` without the right key.
  public func access(_ key: DatabaseKey?) throws(SealFailure) -> SealedAccess? {
    guard let id = try self.key() else { return nil }
    guard let key, key.id == id else { throw .locked }
    return SealedAccess(path: path, key)
  }

  /// Throws `SealFailure.notSealed` where a key file stands beside a database that is not sealed, or beside none. No conversion leaves
  /// that, wherever it is stopped.
  public func requireSeal() throws(SealFailure) {
    guard try keyFile.isThere() else { return }
    guard case .sealed = try DatabaseForm(path: path) else { throw .notSealed }
  }
}

/// Lets this process open a sealed database, as long as it lives.
public final class SealedAccess: Sendable {
  /// What SQLite opens in place of the path.
  public let address: String
  private let number: Int

  init(path: String, _ key: DatabaseKey) {
    number = SealedVFS.admit(key)
    address = databaseAddress(of: path, ["vfs=\(SealedVFS.name)", "\(SealedVFS.keyName)=\(number)"])
  }

  deinit { SealedVFS.dismiss(number) }
}

/// What SQLite opens in place of a path, with settings for it: everything but letters, digits and a few signs by its number.
public func databaseAddress(of path: String, _ settings: [String]) -> String {
  let escaped = path.utf8.map { byte in
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "_"),
      UInt8(ascii: "."):
      String(UnicodeScalar(byte))
    default:
      "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }
  }
  return "file:\(escaped.joined())?\(settings.joined(separator: "&"))"
}

/// Why a database is not sealed, opened or unsealed.
public enum SealFailure: Error, Equatable, Sendable {
  /// It is sealed under a key that is not at hand.
  case locked
  /// A passphrase was set, and what lies there is not sealed.
  case notSealed
  /// It was sealed by a newer version of this program.
  case newer
  /// Somebody else has it open.
  case busy
  /// The copy is not what was copied, or the database is none of ours.
  case damaged
  /// It is gone, and what belongs to it is still there.
  case missing
  /// It has another name, or what stands at its path is a link.
  case linked
  /// Nobody can tell what lies there, by the system's code.
  case unreadable(Int32)
  /// The system's code.
  case system(Int32)
  /// SQLite's code.
  case database(Int32)
}
