import ArgumentParser
import CloudAPI
import Sharing
import Signing
import Treesystem

/// `todo devices approve [<device> | <code>]`
struct ApproveDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "approve",
    abstract: "Add a new device, which runs 'todo login --approve', to your account.",
    usage: "todo devices approve [<device> | <code>]",
    discussion: """
      Type the code that the new device shows, or give it: it is the right one if nobody stands between the two devices.

      Examples:
        todo devices approve
        todo devices approve 1234-5678
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The new device: its name or id; or the code that it shows.", valueName: "device"))
  var device: String?

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    let login: OpenLogin
    if let code = device.flatMap({ LoginCode(text: $0) }) {
      login = try await session.login(showing: code)
    } else {
      login = try await session.loginToCompare(device)
      try session.compare(login)
    }
    guard let code = login.code else { throw DeviceFailure.untrusted }
    let added = try await session.withCloud { try await $0.approve(login.id, code: code) }
    try session.voice.tell(AddedDevicePage(id: added, name: login.name))
    // What it is called goes to the other devices.
    if session.options.sync == true { _ = try await session.syncWithFiles() } else { _ = session.startBackgroundSync() }
  }
}

/// `todo devices deny [<device>]`
struct DenyDeviceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deny",
    abstract: "Refuse new devices that want to be added to your account.",
    usage: "todo devices deny [<device>]",
    discussion: """
      Without a device it refuses all that wait.

      Example:
        todo devices deny tablet
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: ArgumentHelp("The new device, as 'todo devices' shows it.", valueName: "device"))
  var device: String?

  func run() async throws {
    let session = try Session.open(options)
    _ = try session.requireAccount()
    let logins = try await session.withCloud { try await $0.logins() }
    let meant = try device.map { try [logins.find($0)] } ?? logins
    guard !meant.isEmpty else { throw DeviceFailure.noLogin }
    try await session.withCloud { cloud in
      for login in meant { try await cloud.deny(login.id) }
    }
    try session.voice.tell(DeniedDevicesPage(logins: meant))
  }
}

extension Session {
  /// The new device that shows a code. Where none can be compared here, a wrong code is not what is wrong.
  fileprivate func login(showing code: LoginCode) async throws -> OpenLogin {
    do {
      return try await withCloud { try await $0.login(showing: code) }
    } catch DeviceFailure.noLogin {
      let logins = try await withCloud { try await $0.logins() }
      guard let login = logins.first else { throw DeviceFailure.noLogin }
      return try comparable(login)
    }
  }

  /// For how many seconds somebody waits at a terminal for a new device to show itself.
  private static let patience = 30

  /// The new device that somebody means, when it can be compared.
  fileprivate func loginToCompare(_ text: String?) async throws -> OpenLogin {
    var login = try await loginMeant(text)
    if login.state == .waiting, voice.isConversation {
      login = try await ProgressLine(voice, "waiting for the new device").shown {
        var login = login
        for _ in 0..<Self.patience where login.state == .waiting {
          try await database.clock.sleep(1000)
          let id = login.id
          guard let now = try await withCloud({ try await $0.logins() }).first(where: { $0.id == id }) else {
            throw DeviceFailure.noLogin
          }
          login = now
        }
        return login
      }
    }
    return try comparable(login)
  }

  /// A new device whose code this device knows, or a complaint that says why it knows none.
  private func comparable(_ login: OpenLogin) throws -> OpenLogin {
    switch login.state {
    case .comparing: return login
    case .untrusted: throw DeviceFailure.untrusted
    case .waiting:
      throw Complaint(
        "not_ready", .tryAgain, "the new device does not show its code yet",
        hint: "run 'todo login --approve' there once more, then: todo devices approve <its code>")
    case .elsewhere(let device):
      let named = try read { try $0.namedDevices() }.first { $0.device.id == device }
      throw Complaint(
        "elsewhere", .tryAgain, "\(named?.words ?? "another device") has answered it",
        hint: "approve it there; or 'todo devices deny', and ask once more on the new device")
    }
  }

  private func loginMeant(_ text: String?) async throws -> OpenLogin {
    let logins = try await withCloud { try await $0.logins() }
    if let text {
      do {
        return try logins.find(text)
      } catch DeviceFailure.noLogin {
        throw try read { try $0.namedDevices().first { $0.isCalled(text) } }.map { Complaint.addedAlready($0) }
          ?? DeviceFailure.noLogin
      }
    }
    guard let first = logins.first else { throw DeviceFailure.noLogin }
    guard logins.count == 1 else { throw Complaint.ambiguous(logins) }
    return first
  }

  /// Has somebody compare the codes: whoever types one has looked at the other device. Without a terminal the code has to be given.
  fileprivate func compare(_ login: OpenLogin) throws {
    guard let code = login.code else { throw DeviceFailure.untrusted }
    guard voice.isConversation else {
      throw Complaint.usage(
        "codes are compared on a terminal", hint: "give the one that the new device shows: todo devices approve <code>")
    }
    let typed = voice.ask("\(login.words) asked \(localTime(login.asked)); the code that it shows: ") ?? ""
    guard LoginCode(text: typed) == code else {
      throw Complaint(
        "not_confirmed", .usage, "nothing was added\(typed.isEmpty ? "" : ": this device has another code")",
        hint: "if it shows another code or is not yours: todo devices deny")
    }
  }
}

extension NamedDevice {
  /// Whether somebody may mean it by a name or the beginning of an id.
  fileprivate func isCalled(_ text: String) -> Bool {
    let wanted = text.lowercased()
    return name?.lowercased() == wanted || wanted.count >= 4 && device.id.description.hasPrefix(wanted)
  }
}

extension Complaint {
  fileprivate static func addedAlready(_ device: NamedDevice) -> Complaint {
    device.device.ended == nil
      ? usage(
        "\(device.words) is one of your devices already",
        hint:
          "'todo devices' shows those that want to be added; on a new one: todo login <name> --server <host> --approve")
      : usage(
        "\(device.words) was ended, and wants nothing",
        hint: "to add it anew, there: todo login <name> --server <host> --approve")
  }

  fileprivate static func ambiguous(_ logins: [OpenLogin]) -> Complaint {
    Complaint(
      "ambiguous", .notFound, "\(counted(logins.count, "device")) want to be added",
      hint: "give the code that the new device shows: todo devices approve <code>", candidates: logins.map(\.shortID))
  }
}

extension [OpenLogin] {
  /// The one that a person means: by its name, or by the beginning of its id.
  fileprivate func find(_ text: String) throws -> OpenLogin {
    let wanted = text.lowercased()
    let named = filter { $0.name?.lowercased() == wanted }
    let found = named.isEmpty ? filter { !wanted.isEmpty && $0.id.description.hasPrefix(wanted) } : named
    if found.count > 1 { throw Complaint.ambiguous(found) }
    guard let login = found.first else { throw DeviceFailure.noLogin }
    return login
  }
}

extension OpenLogin {
  /// What it calls itself; not safe for a terminal.
  var name: String? { if case .comparing(let name, _, _) = state { name } else { nil } }

  /// Of the login: the device's own is not known from the beginning, and it is none of the account's yet.
  var shortID: String { String(id.description.prefix(8)) }

  var words: String { name.map { "'\(Complaint.shortened(harmless($0)))' (\(shortID))" } ?? "a device (\(shortID))" }

  var json: JSON {
    ["id": .string(id.description), "name": .text(name), "asked_at": .time(asked), "state": .string(word)]
  }

  private var word: String {
    switch state {
    case .waiting: "waiting"
    case .comparing: "comparing"
    case .elsewhere: "elsewhere"
    case .untrusted: "untrusted"
    }
  }
}

/// A device that was added.
struct AddedDevicePage: Page {
  let id: DeviceID
  let name: String?

  func lines(_ style: Style) -> [String] {
    ["added \(style.heading(harmless(name.map { "'\($0)'" } ?? "a device"))) (\(id.description.prefix(8)))"]
  }

  var members: [JSON.Member] {
    [.init(key: "device", value: .string(id.description)), .init(key: "name", value: .text(name))]
  }
}

/// Devices that were refused.
struct DeniedDevicesPage: Page {
  let logins: [OpenLogin]

  func lines(_ style: Style) -> [String] { logins.map { "refused \($0.words)" } }

  var members: [JSON.Member] { [.init(key: "refused", value: .array(logins.map(\.json)))] }
}
