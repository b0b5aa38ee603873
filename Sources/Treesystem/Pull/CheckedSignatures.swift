import CloudAPI
import Signing

/// Signatures that were found good before their records are judged. Checking them is most of a pull's work, and the only part
/// that needs neither order nor database; `verify` stays the one judge and asks here first.
struct CheckedSignatures: Sendable {
  private struct Statement: Sendable {
    let key: PublicKey
    let domain: Domain
    let body: [UInt8]
    let signature: Signature
  }

  private var good: [Signature: Statement] = [:]

  /// Whether this very signature of this very body by this very key was found good.
  func contains(_ key: PublicKey, _ signature: Signature, _ domain: Domain, _ body: [UInt8]) -> Bool {
    guard let known = good[signature] else { return false }
    return known.key == key && known.domain == domain && known.body == body
  }

  /// Checks what is not checked yet of a page by authors whose keyrings are known, with as many threads as there are.
  mutating func check(_ page: IncomingPage, by authors: [UserID: Keyring]) async {
    var open: [Statement] = []
    for row in page.rows.values where good[row.signed.signature] == nil {
      guard let (author, domain) = row.author, let key = authors[author.user]?.devices[author.device]?.signKey else {
        continue
      }
      open.append(Statement(key: key, domain: domain, body: row.signed.body, signature: row.signed.signature))
    }
    for statement in await Self.good(of: open) { good[statement.signature] = statement }
  }

  private static func good(of open: [Statement]) async -> [Statement] {
    await withTaskGroup(of: [Statement].self) { group in
      for start in stride(from: 0, to: open.count, by: share) {
        let some = open[start..<min(start + share, open.count)]
        group.addTask { some.filter { $0.key.verifies($0.signature, $0.domain, $0.body) } }
      }
      return await group.reduce(into: []) { $0 += $1 }
    }
  }

  /// Signatures that one thread checks in a row: some milliseconds of work.
  private static let share = 50
}
