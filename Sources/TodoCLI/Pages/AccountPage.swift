import Signing
import Treesystem

/// Who somebody is here.
struct AccountFacts {
  /// Nil without an account.
  let account: Account?
  /// How many changes the server has not confirmed.
  let unsent: Int
  /// When a sync last ended well.
  let lastSync: Int64?
  /// That the account has ended on this device.
  var end: EndedHere?
}

extension CloudTransaction {
  /// What `whoami` and the account commands show.
  func accountFacts() throws -> AccountFacts {
    AccountFacts(
      account: try account(), unsent: try pendingOperationCount(), lastSync: try lastSync(),
      end: try endedHere())
  }
}

/// Who one is, or has become.
struct AccountPage: Page {
  var verb: String?
  /// Lists that have another name now, since the account had one of the same.
  var renamed: [String] = []
  let facts: AccountFacts

  init(verb: String? = nil, renamed: [String] = [], _ facts: AccountFacts) {
    self.verb = verb
    self.renamed = renamed
    self.facts = facts
  }

  func lines(_ style: Style) -> [String] {
    guard let account = facts.account else {
      return ["nobody: this profile has no account, and needs none until you share"]
    }
    let who = "\(style.heading(account.handle)) on \(harmless(account.server))"
    let unsent = facts.unsent == 0 ? [] : ["\(counted(facts.unsent, "change")) not sent yet"]
    return ["\(verb.map { "\($0) " } ?? "")\(who)"] + renamed.map { "renamed a list to \(harmless($0))" } + unsent
  }

  var members: [JSON.Member] {
    let account = facts.account
    return [
      .init(key: "handle", value: .text(account?.handle)), .init(key: "server", value: .text(account?.server)),
      .init(key: "user", value: .text(account?.user.description)),
      .init(key: "device", value: .text(account?.device.description)),
      .init(key: "unsent", value: .int(Int64(facts.unsent))), .init(key: "last_sync", value: .time(facts.lastSync)),
      .init(key: "renamed_lists", value: .array(renamed.map { .string($0) })),
      .init(key: "recovery_pending", value: .bool(account?.holdsRoot ?? false)),
    ]
  }

  var hints: [String] {
    facts.account?.holdsRoot == true && verb != nil
      ? ["write down your recovery words, they are the only way back in: todo recovery"] : []
  }
}
