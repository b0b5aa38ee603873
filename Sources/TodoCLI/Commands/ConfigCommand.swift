import ArgumentParser

/// `todo config [<key> [<value>]]`
struct ConfigCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "config",
    abstract: "Show the settings, or change one.",
    usage: "todo config [<setting> [on | off]]",
    discussion: """
      The settings are for all your profiles, and are kept in config.toml beside them.

      Examples:
        todo config
        todo config background-sync off
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The setting.")
  var setting: String?

  @Argument(help: "What it is to be: on or off.")
  var value: String?

  func run() throws {
    let profile = try Profile(named: options.profile, environment: environment)
    let key = try setting.map(key)
    if let key, let value {
      let isOn = try Self.isOn(value)
      try profile.makeHome()
      try profile.config.write(key, isOn)
    }
    let config = try profile.config.read()
    try options.voice.tell(ConfigPage(config: config, keys: key.map { [$0] } ?? Config.Key.allCases))
  }

  private func key(_ name: String) throws -> Config.Key {
    guard let key = Config.Key(rawValue: name) else { throw Complaint.unknownSetting(name, at: nil) }
    return key
  }

  private static func isOn(_ text: String) throws -> Bool {
    switch text.lowercased() {
    case "on", "true": return true
    case "off", "false": return false
    default: throw Complaint.usage("'\(Complaint.shortened(text))' is neither on nor off", hint: "say on or off")
    }
  }
}

/// Settings and what they are.
struct ConfigPage: Page {
  let config: Config
  let keys: [Config.Key]

  func lines(_ style: Style) -> [String] {
    let standard = try? Config()
    return keys.map { key in
      let note = config[key] == standard?[key] ? "" : ", not the default"
      return "\(style.heading(key.rawValue))  \(config[key] ? "on" : "off")\(style.quiet("  \(key.meaning)\(note)"))"
    }
  }

  var members: [JSON.Member] {
    [
      .init(
        key: "settings",
        value: .object(keys.map { .init(key: $0.rawValue.replacing("-", with: "_"), value: .bool(config[$0])) }))
    ]
  }
}
