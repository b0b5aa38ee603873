import ArgumentParser
import CloudAPI
import Sharing
import Signing
import Treesystem

/// `todo devices`
struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices",
    abstract: "Show the devices of your account, add one, or end one that is lost.",
    usage: "todo devices [approve|deny|revoke|rename <device>]",
    discussion: """
      Devices that want to be added with 'todo login --approve' are shown too.

      Examples:
        todo devices
        todo devices approve 1234-5678
        todo devices revoke laptop
      """,
    subcommands: [
      ApproveDeviceCommand.self, DenyDeviceCommand.self, RevokeDeviceCommand.self, RenameDeviceCommand.self,
    ])

  @OptionGroup var options: GlobalOptions

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    let failure = try await session.syncIfPossible()
    let logins = options.sync == false || failure != nil ? [] : try await session.withCloud { try await $0.logins() }
    try session.voice.tell(DevicesPage(devices: session.read { try $0.namedDevices() }, logins: logins))
  }
}

/// `todo devices revoke <device>`
struct RevokeDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "revoke",
    abstract: "End a device: from then on it gets nothing new and sends nothing.",
    usage: "todo devices revoke <device> [--with-added] [--yes]",
    discussion: """
      Your account gets a new key, and so does every list that you may write on; lists on which you only read get theirs \
      when somebody who writes there syncs next. What the device could read before stays readable on it.

      Example:
        todo devices revoke laptop
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "End the devices that it added too, but for those that this one hangs on.")
  var withAdded = false

  @Argument(help: ArgumentHelp("The device: its id, or the beginning of it, or its name.", valueName: "device"))
  var device: String

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    try await session.syncIfPossible()
    let before = try session.read { try $0.namedDevices() }
    let target = try before.find(device)
    if target.device.isThisOne { throw DeviceFailure.thisOne }
    if target.device.ended != nil { throw Complaint.endedAlready(target) }
    let added = try session.read { try $0.devices(addedBy: target.device.id) }
    let children = before.filter { added.contains($0.device.id) && !$0.device.isThisOne }
    if !children.isEmpty, !withAdded, session.voice.isConversation {
      session.voice.note("it has added \(children.map(\.words).joined(separator: ", ")): --with-added ends that too")
    }
    let words = try session.read { try $0.wordsLeft() }.flatMap { $0.device.device.id == target.device.id ? $0 : nil }
    try session.confirm(
      "end the device \(target.words), added \(localTime(target.device.added)), so that it gets nothing new and sends nothing from now on"
        + (words.map { " (\($0.warning))" } ?? ""))
    try await session.withCloud { try await $0.endDevice(target.device.id, withAdded: withAdded) }
    let isSynced = try await session.syncAfterwards()
    let after = try session.read { try $0.namedDevices() }
    let ended = after.filter { now in
      now.device.ended != nil && before.first { $0.device.id == now.device.id }?.device.ended == nil
    }
    try session.voice.tell(
      EndedDevicesPage(
        ended: ended, staying: children.filter { child in !ended.contains { $0.device.id == child.device.id } },
        renewals: session.read { try $0.waitingRenewals() }, isSynced: isSynced,
        wordsLeft: session.read { try $0.wordsLeft() }.flatMap { left in
          ended.contains { $0.device.id == left.device.device.id } ? left : nil
        }))
  }
}

/// `todo devices rename <device> <name>`
struct RenameDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "rename",
    abstract: "Give a device another name, which only your own devices see.",
    usage: "todo devices rename <device> <name>",
    discussion: """
      Example:
        todo devices rename b9d14c02 laptop
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The device: its name, its id, or the beginning of that.", valueName: "device"))
  var device: String

  @Argument(help: ArgumentHelp("Its new name.", valueName: "name"))
  var name: String

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    let name = try deviceName(name)
    try session.database.write { transaction in
      try transaction.setName(name, of: transaction.namedDevices().find(device).device.id)
    }
    try await session.syncAfterwards()
    try session.voice.tell(DevicesPage(devices: session.read { try $0.namedDevices() }))
  }
}

extension CloudTransaction {
  /// How many lists wait for a new key. What is this account's alone does too, and is none.
  fileprivate func waitingRenewals() throws -> Int {
    try operations().filter(\.isRenewal).count { try root(of: $0.branch)?.trunk == nil }
  }
}

extension Complaint {
  fileprivate static func endedAlready(_ device: NamedDevice) -> Complaint {
    Complaint(
      "ended", .notFound, "\(device.words) was ended \(device.device.ended.map(localTime) ?? "before")",
      hint: "'todo devices' shows those that are active")
  }
}
