import Sharing
import Signing
import Treesystem

/// An account as `todo account` shows it: what it has, and what it depends on.
struct AccountStatePage: Page {
  let facts: AccountFacts
  /// This device; nil without an account.
  let device: NamedDevice?
  /// How many devices of the account are active.
  let active: Int

  init(_ transaction: CloudTransaction) throws {
    facts = try transaction.accountFacts()
    let devices = facts.account == nil ? [] : try transaction.namedDevices()
    device = devices.first { $0.device.isThisOne }
    active = devices.count { $0.device.ended == nil }
  }

  func lines(_ style: Style) -> [String] {
    guard let account = facts.account else { return AccountPage(facts).lines(style) }
    let facts = [
      ("account", "\(style.heading(account.handle)) on \(harmless(account.server))"),
      ("id", account.user.description),
      ("device", harmless(deviceWords)),
      ("words", account.holdsRoot ? "on this device, and never checked: todo recovery" : "not on this device"),
      ("synced", synced),
    ]
    return facts.map { name, value in "\(style.quiet(pad(name, to: 7)))  \(value)" }
  }

  private var deviceWords: String {
    let own = device?.words ?? "unknown"
    if facts.end != nil { return "\(own), ended: 'todo status' says by whom" }
    return active > 1 ? "\(own), one of \(active): 'todo devices' shows them" : "\(own), the only one"
  }

  private var synced: String {
    let unsent = facts.unsent == 0 ? "" : "; \(counted(facts.unsent, "change")) not sent yet"
    return (facts.lastSync.map(localTime) ?? "never") + unsent
  }

  var members: [JSON.Member] {
    AccountPage(facts).members.filter { $0.key != "renamed_lists" } + [
      .init(key: "device_name", value: .text(device?.name)),
      .init(key: "devices", value: .int(Int64(active))),
    ]
  }
}
