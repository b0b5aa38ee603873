import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf
import Treesystem

/// What this user's devices tell each other: each thing is a node below prefs, which is never shared.
extension CloudTransaction {
  /// Tells one's other devices something. What was said of the same subject before is replaced.
  func setPreference(_ what: SealedPreference.OneOf_What) throws {
    _ = try requireAccount()
    let (kind, subject) = what.subject
    let stored = try storedPreference(kind, subject)
    var message = SealedPreference()
    message.what = what
    let last = stored?.message.written ?? 0
    message.written = try max(UInt64(max(0, serverTime())), last == .max ? last : last + 1)
    let name = "\(kind)-\(Base16.encode(subject))"
    let node = try stored?.node ?? createNode(named: name, in: trunk(.prefs).id).id
    try store(message, in: node)
    try queueDataUpload(forNodeID: node)
    // One of several that say they are the last would count again once the others are gone.
    let others = try NodeID.fetchAll(
      db, sql: "SELECT node FROM preferences WHERE kind = ? AND subject = ? AND node <> ?",
      arguments: [kind, Data(subject), node])
    for other in others { try delete(other) }
  }

  /// The latest that was said of a subject.
  func preference(_ kind: String, _ subject: [UInt8]) throws -> SealedPreference.OneOf_What? {
    try storedPreference(kind, subject)?.message.what
  }

  /// A node's message; empty where it has none that this version knows.
  func preferenceContent(of node: NodeID) throws -> [UInt8] {
    try Data.fetchOne(db, sql: "SELECT message FROM preferences WHERE node = ?", arguments: [node]).map { Array($0) }
      ?? []
  }

  /// Takes in what another device said. The later of two counts, and of equal ones the one that came to the server later: else a device
  /// that was stolen could say the highest of all, and have the last word for ever.
  func receivePreference(_ bytes: [UInt8], of node: NodeID, replacing: Bool) throws -> Merge {
    let message = try decode(SealedPreference.self, bytes)
    let known = replacing ? nil : try decode(SealedPreference.self, preferenceContent(of: node))
    if let known, known.what != nil, known.written > message.written { return .differs }
    try store(message, in: node)
    // Whoever was verified elsewhere is meant by their handle here too, where it was the handle that was verified.
    if case .verified(let judgement)? = message.what, judgement.holds, !judgement.byCode,
      let user = UserID(bytes: judgement.user)
    {
      try takeForHandle(user)
    }
    return .settled
  }

  private func store(_ message: SealedPreference, in node: NodeID) throws {
    // What a newer version says is kept, and means nothing here.
    let (kind, subject) = message.what?.subject ?? ("unknown", [])
    try db.execute(
      sql: "INSERT OR REPLACE INTO preferences (node, kind, subject, written, message) VALUES (?, ?, ?, ?, ?)",
      arguments: [
        node, kind, Data(subject), Int64(clamping: message.written), Data(encode(message)),
      ])
  }

  private func storedPreference(
    _ kind: String, _ subject: [UInt8]
  ) throws -> (node: NodeID, message: SealedPreference)? {
    // Two devices may have begun at once: then there are two nodes, and the later counts.
    let statement = try db.cachedStatement(
      sql: """
        SELECT node, message FROM preferences WHERE kind = ? AND subject = ? ORDER BY written DESC, message DESC LIMIT 1
        """)
    return try Row.fetchOne(statement, arguments: [kind, Data(subject)]).map { row in
      (row[0], try SealedPreference(serializedBytes: row[1] as Data))
    }
  }
}

extension SealedPreference.OneOf_What {
  /// What it is about: of all that is said about one subject the last counts.
  fileprivate var subject: (kind: String, id: [UInt8]) {
    switch self {
    case .device(let name): ("device", Array(name.device))
    case .verified(let judgement): ("verified", Array(judgement.user))
    case .blocked(let judgement): ("blocked", Array(judgement.user))
    case .admitted(let judgement): ("admitted", Array(judgement.user))
    case .rootErased(let erased): ("root-erased", Array(erased.device))
    case .setting(let setting): ("setting", Array(setting.name.utf8))
    }
  }
}
