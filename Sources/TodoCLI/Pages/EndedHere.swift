import Sharing
import Signing
import Treesystem

/// That the account has ended on this device, and who did that.
struct EndedHere {
  let end: AccountEnd
  /// Of the device that did it; nil: the recovery words did, or nobody knows what it is called.
  let by: String?
  let handle: String
  let server: String
}

extension CloudTransaction {
  /// Whether, and how, the account has ended on this device.
  func endedHere() throws -> EndedHere? {
    guard let account = try account(), let end = try accountEnd() else { return nil }
    let by = try end.by.map { device in try name(of: device).map { "'\($0)'" } ?? String(device.description.prefix(8)) }
    return EndedHere(end: end, by: by, handle: account.handle, server: account.server)
  }
}

extension Complaint {
  static let endedKind = "device_ended"

  /// What anybody has to know whose device has ended.
  init(_ ended: EndedHere) {
    let by = ended.by ?? (ended.end.by == nil ? "your recovery words" : "another device")
    let when = localTime(ended.end.at)
    if ended.end.isDeletion {
      self.init(
        Self.endedKind, .notPermitted, "the account \(ended.handle) was deleted by \(by), \(when)",
        hint: "your lists are still here: 'todo logout --keep-lists' keeps them, on this device only")
    } else {
      self.init(
        Self.endedKind, .notPermitted, "this device was ended by \(by), \(when): it gets nothing new and sends nothing",
        hint:
          "what is here stays readable; to use the account here again: todo logout (--keep-lists keeps your lists here), then todo login \(ended.handle) --server \(ended.server)"
      )
    }
  }
}
