import ArgumentParser
import TodoCore
import Treesystem

/// `todo config [<key> [<value>]]`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the settings, or change one.",
    usage: "todo config [<setting> [<value>]]",
    discussion: """
      The settings are for all your profiles, and are kept in config.toml beside them; but the default list is your account's, on all your \
      devices.

      Examples:
        todo config
        todo config default-list Groceries
        todo config pager "less -R"
        todo config background-sync off
        todo config unlock-minutes 60
        todo config passphrase-command "pass show todo"
        todo config image-cache 100M
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The setting.")
  var setting: String?

  @Argument(help: "What it is to be: on or off, a number, a size such as 25M, a word, or a command.")
  var value: String?

  func run() throws {
    let profile = try Profile(named: options.profile, environment: environment)
    let key = try setting.map(key)
    if key == .defaultList, let value {
      try chooseDefaultList(value)
    } else if let key, let value {
      let value = try Self.value(value, of: key)
      try profile.makeHome()
      try profile.config.write(key, value)
    }
    let config = try profile.config.read()
    let keys = key.map { [$0] } ?? Config.Key.allCases
    let list = try keys.contains(.defaultList) ? defaultList(config.defaultList) : nil
    try options.voice.tell(ConfigPage(config: config, keys: keys, defaultList: list))
  }

  private func chooseDefaultList(_ name: String) throws {
    let session = try Session.open(options)
    try session.change(isAction: false) { transaction in
      let list = try transaction.requireList(name)
      try transaction.requireStaying(list.node)
      try transaction.setDefaultList(list)
    }
    _ = session.startBackgroundSync()
  }

  /// Its name in this profile; nil where the profile is locked, or has none yet.
  private func defaultList(_ name: ListName) throws -> String? {
    guard let session = try Session.peek(options),
      case .list(let list) = try session.read({ try $0.defaultList(named: name) })
    else { return nil }
    return list.name
  }

  private func key(_ name: String) throws -> Config.Key {
    guard let key = Config.Key(rawValue: name) else { throw Complaint.unknownSetting(name, at: nil) }
    return key
  }

  private static func value(_ text: String, of key: Config.Key) throws -> ConfigValue {
    switch key {
    case .defaultList: return .text(text)
    case .weekStart:
      guard WeekStart(rawValue: text.lowercased()) != nil else {
        throw Complaint.usage(
          "'\(Complaint.shortened(text))' is no day on which weeks begin", hint: "say monday, sunday or saturday")
      }
      return .text(text.lowercased())
    case .backgroundSync:
      switch text.lowercased() {
      case "on", "true": return .flag(true)
      case "off", "false": return .flag(false)
      default: throw Complaint.usage("'\(Complaint.shortened(text))' is neither on nor off", hint: "say on or off")
      }
    case .unlockMinutes:
      guard let minutes = Int(text), (1...Config.mostMinutes).contains(minutes) else {
        throw Complaint.usage(
          "'\(Complaint.shortened(text))' is no number of minutes", hint: "say a number from 1 to \(Config.mostMinutes)"
        )
      }
      return .number(minutes)
    case .passphraseCommand, .pager:
      let command = text == "off" ? "" : text
      guard command.utf8.count <= 1000, !command.contains(where: \.isNewline) else {
        throw Complaint.usage("that is no command of one line", hint: "put it into a file, and name that")
      }
      return .text(command)
    case .imageCache:
      guard let size = ByteSize(text) else {
        throw Complaint.usage(
          "'\(Complaint.shortened(text))' is no size", hint: "say a number of bytes, or one with K, M or G, such as 25M"
        )
      }
      return .text(size.text)
    case .imageCacheDays:
      guard let days = Int(text), (-1...Config.mostDays).contains(days) else {
        throw Complaint.usage(
          "'\(Complaint.shortened(text))' is no number of days",
          hint: "say a number up to \(Config.mostDays), or -1 for as long as there is room")
      }
      return .number(days)
    case .imageAfterUpload:
      guard AfterUpload(rawValue: text) != nil else {
        throw Complaint.usage(
          "'\(Complaint.shortened(text))' is none of cache, keep and delete",
          hint: "cache: stays while there is room; keep: stays; delete: is fetched again when it is looked at")
      }
      return .text(text)
    }
  }
}

/// Settings and what they are.
struct ConfigPage: Page {
  let config: Config
  let keys: [Config.Key]
  /// What the default list is called; nil where there is none yet.
  var defaultList: String?

  func lines(_ style: Style) -> [String] {
    let standard = try? Config()
    return keys.map { key in
      let note = value(key) == standard?[key] ? "" : ", not the default"
      return "\(style.heading(key.rawValue))  \(value(key).words)\(style.quiet("  \(key.meaning)\(note)"))"
    }
  }

  private func value(_ key: Config.Key) -> ConfigValue {
    if key == .defaultList, let defaultList { return .text(defaultList) }
    return config[key]
  }

  var members: [JSON.Member] {
    [
      .init(
        key: "settings",
        value: .object(keys.map { .init(key: $0.rawValue.replacing("-", with: "_"), value: value($0).json) }))
    ]
  }
}

extension ConfigValue {
  fileprivate var words: String {
    switch self {
    case .flag(let isOn): isOn ? "on" : "off"
    case .number(let number): String(number)
    case .text(let text): text.isEmpty ? "off" : harmless(text)
    }
  }

  fileprivate var json: JSON {
    switch self {
    case .flag(let isOn): .bool(isOn)
    case .number(let number): .int(Int64(number))
    case .text(let text): .text(text.isEmpty ? nil : text)
    }
  }
}
