import Sharing
import Signing
import Treesystem

/// Another device of this account, on which its recovery words may lie: whoever has it could come back with them.
struct WordsLeft {
  /// The one that made the account.
  let device: NamedDevice
  /// Whether a device was signed in with the words: then they go from there with its next sync.
  let areUsed: Bool

  private var name: String { harmless(device.words) }

  /// Said before it is ended.
  var warning: String {
    "your recovery words may lie on it, and whoever has it could come back with them, unless 'todo recovery' has checked them there"
  }

  /// As `status` says it; none where that will pass by itself.
  var reminder: [String] {
    guard let ended = device.device.ended else {
      return areUsed ? [] : ["your recovery words lie on \(name), and were never checked there: todo recovery"]
    }
    return [
      "your recovery words may lie on \(name), which was ended \(localTime(ended)): whoever has it could come back with them",
      "  → only a new account is safe from that: 'todo account delete' leaves your lists here, then 'todo signup'",
    ]
  }

  var json: JSON {
    [
      "device": .string(device.device.id.description), "name": .text(device.name),
      "ended_at": .time(device.device.ended),
    ]
  }
}

extension CloudTransaction {
  /// Where the recovery words may lie; nil where this device has them, the one that made the account has said that it does not have
  /// them any more, or signed out by itself, which erases all that is there.
  func wordsLeft() throws -> WordsLeft? {
    guard let account = try account(), !account.holdsRoot else { return nil }
    let devices = try namedDevices()
    guard let first = devices.first, !first.device.isThisOne, first.device.endedBy != first.device.id,
      try !hasErasedRoot(first.device.id)
    else { return nil }
    return WordsLeft(device: first, areUsed: devices.dropFirst().contains { $0.device.addedBy == nil })
  }
}
