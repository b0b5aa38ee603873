import CloudAPI
import Dates
import Glibc
import TodoCore
import Treesystem

extension Zone {
  /// The time zone of this machine, or the one that `TZ` names.
  static let system = Zone(name: systemName) { seconds in
    var time = time_t(seconds)
    var parts = tm()
    localtime_r(&time, &parts)
    return parts.tm_gmtoff
  }

  /// What `TZ` says and nobody knows: the system takes it for UTC.
  static var unknownName: String? {
    // One with a number is a rule of its own: CET-1CEST.
    guard let set, systemName == nil, access(set, R_OK) != 0, !set.contains(where: \.isNumber) else { return nil }
    return set
  }

  private static var set: String? {
    environment("TZ").map { String($0.drop { $0 == ":" }) }.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What the zone is called, where `TZ` or the link /etc/localtime says it.
  private static var systemName: String? {
    if let set { return access("/usr/share/zoneinfo/\(set)", R_OK) == 0 ? set : nil }
    var target = [CChar](repeating: 0, count: Int(PATH_MAX))
    guard readlink("/etc/localtime", &target, target.count - 1) > 0 else { return nil }
    let path = target.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
    return path.firstRange(of: "zoneinfo/").map { String(path[$0.upperBound...]) }
  }
}

extension Session {
  /// Reads dates as they are meant here and now.
  var dates: DatePhrase {
    DatePhrase(now: database.clock.now(), zone: .system, weekStart: config.weekStart.number)
  }
}

extension DatePhrase {
  /// The day or moment that somebody wrote, or a complaint.
  func when(_ text: String) throws -> When {
    do throws(PhraseError) {
      return try read(text)
    } catch {
      throw Complaint(error, text)
    }
  }
}

extension Complaint {
  fileprivate init(_ error: PhraseError, _ text: String) {
    let (message, hint) =
      switch error {
      case .unknown:
        (
          "is no date that is understood",
          "such as: fri, tomorrow 18:00, in 2 weeks, eom, 2026-11-27; see 'todo help dates'"
        )
      case .noSuchDay: ("does not exist", "look at a calendar, or write it as 2026-11-27")
      case .noSuchTime: ("is no time of day", "the day goes from 00:00 to 23:59")
      case .slashes:
        ("is not read: some write the day first, others the month", "write it as 27 nov, 27.11. or 2026-11-27")
      case .outOfRange: ("is too far away", "days go from the year 1 to 9999, times of day from 1970 on")
      }
    self.init("date", .badData, "'\(Self.shortened(text))' \(message)", hint: hint)
  }

  /// What stands at a title's end.
  init(_ error: InlineFieldError) {
    let stays = "with --literal it stays in the title"
    switch error {
    case .date(let text, let error):
      self.init(error, text)
      hint = [hint, stays].compactMap { $0 }.joined(separator: "; ")
    case .priority(let text):
      self.init(
        "priority", .badData, "'\(Self.shortened(text))' is no priority", hint: "say high, medium or low; \(stays)")
    case .nobody(let word):
      self.init(
        "not_a_member", .unknownUser, "'\(Self.shortened(word))' is nobody on that list",
        hint: "share the list with them first; \(stays)")
    case .twice(let key):
      self.init("twice", .badData, "'\(key)' stands there twice", hint: "leave one out; \(stays)")
    }
  }

  /// What was to come back how?
  init(repetition error: PhraseError, _ text: String) {
    self.init(
      "repetition", .badData, "'\(Self.shortened(text))' is no way to come back that is understood",
      hint: "such as: every week, every 2 days, every mon and thu, every 15th; see 'todo help dates'")
  }
}
