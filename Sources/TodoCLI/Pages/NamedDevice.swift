import Glibc
import Sharing
import Signing
import Treesystem

/// A device of one's own, with what it is called.
struct NamedDevice {
  /// As long as titles are on a screen.
  private static let nameLimit = 64

  let device: AccountDevice
  /// Nil: it has told nobody.
  let name: String?

  /// Enough of its id to tell it from others.
  var shortID: String { String(device.id.description.prefix(8)) }
  /// Not safe for a terminal.
  var words: String { name.map { "'\(Complaint.shortened($0))' (\(shortID))" } ?? shortID }

  /// What tells it from others of its name: `b9d14c02, added 2026-11-20 21:40, this one`.
  fileprivate var choice: String {
    "\(shortID), added \(localTime(device.added))\(device.isThisOne ? ", this one" : "")"
      + (device.ended.map { ", ended \(localTime($0))" } ?? "")
  }

  /// What this machine calls itself. Foundation would ask the network.
  static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    guard gethostname(&name, name.count - 1) == 0 else { return "this device" }
    let text = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return String(text.prefix { $0 != "." }.prefix(nameLimit))
  }

  static func isName(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.count <= nameLimit
      && text.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
  }
}

/// A name for a device, or a complaint.
func deviceName(_ text: String) throws -> String {
  guard NamedDevice.isName(text) else {
    throw Complaint("name", .badData, "that cannot be a device's name", hint: "choose a short one of one line")
  }
  return text
}

extension CloudTransaction {
  /// The account's devices in the order in which they were added.
  func namedDevices() throws -> [NamedDevice] {
    try devices().map { NamedDevice(device: $0, name: try name(of: $0.id)) }
  }
}

extension [NamedDevice] {
  /// The one that a person means: by its name, or by the beginning of its id.
  func find(_ text: String) throws -> NamedDevice {
    let wanted = text.lowercased()
    let named = filter { $0.name?.lowercased() == wanted }
    // One that was ended has perhaps left its name to another.
    let active = named.filter { $0.device.ended == nil }
    let found =
      !active.isEmpty ? active : !named.isEmpty ? named : filter { $0.device.id.description.hasPrefix(wanted) }
    if found.count == 1 { return found[0] }
    guard found.isEmpty || wanted.isEmpty else {
      throw Complaint(
        "ambiguous", .notFound, "'\(Complaint.shortened(text))' can be \(counted(found.count, "device"))",
        hint: "say which by its id: \(found.map(\.choice).joined(separator: "; "))", candidates: found.map(\.shortID))
    }
    throw Complaint(
      "unknown_device", .notFound, "your account has no device '\(Complaint.shortened(text))'",
      hint: "'todo devices' shows them all")
  }
}

/// The devices of the account.
struct DevicesPage: Page {
  let devices: [NamedDevice]
  /// Those that want to be added.
  var logins: [OpenLogin] = []

  func lines(_ style: Style) -> [String] {
    let width = devices.map { harmless($0.name ?? "").count }.max() ?? 0
    return devices.map { named in
      let name = pad(harmless(named.name ?? ""), to: width)
      return "\(named.shortID)  \(style.heading(name))  \(style.quiet(remark(on: named.device)))"
    }
      + logins.map { "\($0.words) wants to be added, asked \(localTime($0.asked))" }
      + namelessLines
      // The code is to be read from the new device.
      + (logins.isEmpty ? [] : ["  → todo devices approve <the code that it shows>, or: todo devices deny"])
  }

  /// Whose they are, only their user can tell.
  private var namelessLines: [String] {
    let nameless = devices.filter { $0.name == nil && $0.device.ended == nil && !$0.device.isThisOne }
    return nameless.map { device in
      let (id, rename) = (device.shortID, "todo devices rename \(device.shortID) <name>")
      return
        "  → \(id) has not said its name: perhaps it never finished signing in; if it is yours: \(rename), else: todo devices revoke \(id)"
    }
  }

  private func remark(on device: AccountDevice) -> String {
    let adder = device.addedBy.flatMap { id in devices.first { $0.device.id == id } }
    let by = adder.map { " by \(harmless($0.name ?? $0.shortID))" } ?? ""
    let added = "added \(localTime(device.added))\(by)"
    if let ended = device.ended { return "\(added), ended \(localTime(ended))" }
    return device.isThisOne ? "\(added), this one" : added
  }

  var members: [JSON.Member] {
    [
      .init(key: "devices", value: .array(devices.map(\.json))),
      .init(key: "logins", value: .array(logins.map(\.json))),
    ]
  }
}

extension NamedDevice {
  fileprivate var json: JSON {
    [
      "id": .string(device.id.description), "name": .text(name), "added_at": .time(device.added),
      "added_by": .text(device.addedBy?.description), "ended_at": device.ended.map { .time($0) } ?? .null,
      "this_one": .bool(device.isThisOne),
    ]
  }
}

/// What became of devices that were to end.
struct EndedDevicesPage: Page {
  let ended: [NamedDevice]
  /// What one of them had added, and has not ended with it.
  let staying: [NamedDevice]
  /// How many lists still wait for their new key.
  let renewals: Int
  /// Whether the lists were seen to.
  let isSynced: Bool
  /// Where the account was made on one of them, which perhaps still has the recovery words.
  let wordsLeft: WordsLeft?

  func lines(_ style: Style) -> [String] {
    ended.map { "ended \(style.heading(harmless($0.words)))" }
      + staying.map { "it had added \(harmless($0.words)), which stays: todo devices revoke \($0.shortID) ends it" }
      + (!isSynced
        ? ["your lists get new keys with the next 'todo sync'"]
        : renewals > 0
          ? ["\(counted(renewals, "list")) will get a new key with the next 'todo sync'"]
          : ["your lists have new keys; those on which you only read get theirs from whoever writes there"])
      + ["what it could read until now stays readable on it"]
      + (wordsLeft.map { [wordsWarning($0)] } ?? [])
  }

  private func wordsWarning(_ left: WordsLeft) -> String {
    left.areUsed
      ? "if it has not synced since you used your recovery words, it may hold them: they let anybody in"
      : "unless they were checked on it with 'todo recovery', it may hold your recovery words: whoever has it could come back with them"
  }

  var members: [JSON.Member] {
    [
      .init(key: "devices", value: .array(ended.map(\.json))),
      .init(key: "staying", value: .array(staying.map(\.json))), .init(key: "synced", value: .bool(isSynced)),
      .init(key: "renewals", value: .int(Int64(renewals))),
      .init(key: "may_hold_words", value: .bool(wordsLeft != nil)),
    ]
  }
}
