import Glibc
import TodoCore
import Treesystem

/// The settings of all profiles of one person, in `config.toml` beside them: lines of `key = value`, which are TOML.
struct Config: Equatable {
  /// What can be set.
  enum Key: String, CaseIterable {
    case defaultList = "default-list"
    case weekStart = "week-start"
    case pager
    case backgroundSync = "background-sync"
    case unlockMinutes = "unlock-minutes"
    case passphraseCommand = "passphrase-command"
    case imageCache = "image-cache"
    case imageCacheDays = "image-cache-days"
    case imageAfterUpload = "image-after-upload"

    /// What it is for, in a few words.
    var meaning: String {
      switch self {
      case .defaultList: "where 'todo add' puts a todo for which no list is named"
      case .weekStart: "the first day of a week: monday, sunday or saturday"
      case .pager: "shows what is longer than the terminal is high: a command, auto or off; auto is PAGER or less"
      case .backgroundSync: "sync after changes, and when something is shown"
      case .unlockMinutes: "for so long 'todo unlock' opens a locked profile"
      case .passphraseCommand: "prints the passphrase of a locked profile"
      case .imageCache: "how much room images have that the server has too"
      case .imageCacheDays: "for so many days they stay unused; -1 for as long as there is room"
      case .imageAfterUpload: "what becomes of your own once the server has them: cache, keep or delete"
      }
    }

    /// What it can be.
    var kind: String {
      switch self {
      case .defaultList: "a list of yours"
      case .weekStart: "\"monday\", \"sunday\" or \"saturday\""
      case .pager: "a command in quotes, \"auto\", or \"\" for none"
      case .backgroundSync: "true or false"
      case .unlockMinutes: "a number from 1 to \(Config.mostMinutes)"
      case .passphraseCommand: "text in quotes"
      case .imageCache: "a size in quotes, such as \"25M\""
      case .imageCacheDays: "a number from -1 to \(Config.mostDays)"
      case .imageAfterUpload: "\"cache\", \"keep\" or \"delete\""
      }
    }
  }

  /// What the list for a todo for which none is named is called, until a profile has one: older programs kept the name here.
  private(set) var defaultList = ListName.standard
  private(set) var weekStart = WeekStart.monday
  /// What shows long output, as `Pager` takes it.
  private(set) var pager = Pager.auto
  /// Whether the program syncs by itself.
  private(set) var backgroundSync = true
  /// How long a profile stays unlocked.
  private(set) var unlockMinutes = 480
  /// What the shell runs for a passphrase; empty where nothing is run.
  private(set) var passphraseCommand = ""
  /// How much of images lies here that can be fetched again.
  private(set) var imageCache = ByteSize(bytes: 25 << 20)
  /// How long one of them stays unused; -1 for ever.
  private(set) var imageCacheDays = -1
  /// What becomes of an image of one's own once it was sent.
  private(set) var imageAfterUpload = AfterUpload.cache

  /// A month: who wants more needs no passphrase.
  static let mostMinutes = 43_200
  /// A century.
  static let mostDays = 36_500

  /// What the disk store is to keep to.
  var diskLimits: DiskLimits {
    DiskLimits(pool: imageCache.bytes, expiry: imageCacheDays < 0 ? -1 : Int64(imageCacheDays) * 86_400_000)
  }

  /// Reads the text of a file. What it does not know is an error: a setting that is silently ignored is worse than none.
  init(text: String = "", path: String = "config.toml") throws(Complaint) {
    var seen: Set<Key> = []
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let place = "line \(index + 1) of \(path)"
      guard let (name, value) = try ConfigLine.read(line, at: place) else { continue }
      guard let key = Key(rawValue: name) else { throw .unknownSetting(name, at: place) }
      guard seen.insert(key).inserted else { throw .config("'\(name)' stands there twice", at: place) }
      guard set(key, to: value) else { throw .config("'\(name)' is \(key.kind)", at: place) }
    }
  }

  /// False where the setting cannot be that.
  private mutating func set(_ key: Key, to value: ConfigValue) -> Bool {
    switch (key, value) {
    case (.defaultList, .text(let name)):
      guard let name = try? ListName(name) else { return false }
      defaultList = name
    case (.weekStart, .text(let day)):
      guard let start = WeekStart(rawValue: day) else { return false }
      weekStart = start
    case (.pager, .text(let command)): pager = command
    case (.backgroundSync, .flag(let isOn)): backgroundSync = isOn
    case (.unlockMinutes, .number(let minutes)) where (1...Self.mostMinutes).contains(minutes): unlockMinutes = minutes
    case (.passphraseCommand, .text(let command)): passphraseCommand = command
    case (.imageCache, .text(let text)):
      guard let size = ByteSize(text) else { return false }
      imageCache = size
    case (.imageCacheDays, .number(let days)) where (-1...Self.mostDays).contains(days): imageCacheDays = days
    case (.imageAfterUpload, .text(let text)):
      guard let after = AfterUpload(rawValue: text) else { return false }
      imageAfterUpload = after
    default: return false
    }
    return true
  }

  /// What a setting is.
  subscript(key: Key) -> ConfigValue {
    switch key {
    case .defaultList: .text(defaultList.text)
    case .weekStart: .text(weekStart.rawValue)
    case .pager: .text(pager)
    case .backgroundSync: .flag(backgroundSync)
    case .unlockMinutes: .number(unlockMinutes)
    case .passphraseCommand: .text(passphraseCommand)
    case .imageCache: .text(imageCache.text)
    case .imageCacheDays: .number(imageCacheDays)
    case .imageAfterUpload: .text(imageAfterUpload.rawValue)
    }
  }

  /// The text of a file with a setting changed; everything else in it stays as somebody wrote it.
  static func text(_ text: String, setting key: Key, to value: ConfigValue) -> String {
    let setting = "\(key.rawValue) = \(value.encoded)"
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() }
    let index = lines.firstIndex { (try? ConfigLine.read($0[...], at: ""))?.name == key.rawValue }
    if let index { lines[index] = setting } else { lines.append(setting) }
    return lines.joined(separator: "\n") + "\n"
  }
}

/// The first day of a week.
enum WeekStart: String {
  case monday, saturday, sunday

  /// From 1 for Monday to 7 for Sunday.
  var number: Int {
    switch self {
    case .monday: 1
    case .saturday: 6
    case .sunday: 7
    }
  }
}

extension Complaint {
  static func config(_ message: String, at place: String) -> Complaint {
    Complaint("config", .badData, "\(place): \(message)", hint: "correct the line, or remove it")
  }

  static func unknownSetting(_ name: String, at place: String?) -> Complaint {
    let names = Config.Key.allCases.map(\.rawValue)
    return Complaint(
      "unknown_setting", place == nil ? .usage : .badData,
      "\(place.map { "\($0): " } ?? "")there is no setting '\(shortened(name))'",
      hint: "there is: \(names.joined(separator: ", "))", candidates: names)
  }
}
