/// The time zones that a calendar describes itself (RFC 5545 §3.6.5): each name that it uses has to be there. libical makes zones of them; one that is
/// nearly right would be wrong by an hour, so what is odd about one is looked for here.
struct CalendarZones {
  /// By their names.
  private(set) var zones: [[UInt8]: ICal.OwnZone] = [:]

  private let library: ICal
  private var lines: [[UInt8]] = []
  private var name: [UInt8]?
  /// What was said in a STANDARD or DAYLIGHT; nil outside of one.
  private var change: Set<String>?
  private var isOdd = false

  init(_ file: [UInt8], _ library: ICal) {
    self.library = library
    // Outside of one only its beginning counts.
    for (_, bytes) in UnfoldedLines(file) where !lines.isEmpty || bytes.first.map({ $0 | 0x20 }) == UInt8(ascii: "b") {
      read(MendedLine(bytes))
    }
  }

  private mutating func read(_ line: MendedLine) {
    let value = String(line.value).uppercased()
    switch (line.name, value) {
    case ("BEGIN", "VTIMEZONE"): (lines, name, change, isOdd) = ([], nil, nil, false)
    case ("BEGIN", "STANDARD"), ("BEGIN", "DAYLIGHT"): (change, isOdd) = ([], isOdd || change != nil)
    case ("END", "STANDARD"), ("END", "DAYLIGHT"):
      isOdd = isOdd || change?.isSuperset(of: ["DTSTART", "TZOFFSETTO"]) != true
      change = nil
    case ("END", "VTIMEZONE"):
      let zone = isOdd || change != nil ? nil : library.zone(lines + [line.bytes])
      if let name, let zone { zones[name] = zone }
      lines = []
      return
    case ("BEGIN", _), ("END", _): lines = []
    case ("TZID", _): name = library.properties(of: line, [:]).first?[1]
    case ("DTSTART", _), ("TZOFFSETFROM", _), ("TZOFFSETTO", _), ("RDATE", _): change?.insert(line.name ?? "")
    case ("RRULE", _): isOdd = isOdd || change?.insert("RRULE").inserted != true || !Self.isYearly(value)
    case ("EXDATE", _): isOdd = true
    default: return
    }
    if !lines.isEmpty || line.name == "BEGIN" && value == "VTIMEZONE" { lines.append(line.bytes) }
  }

  /// Whether it comes at most every day: one for each second of four centuries would never be worked out.
  private static func isYearly(_ rule: String) -> Bool {
    let parts = rule.split(separator: ";")
    return parts.contains("FREQ=YEARLY")
      && !parts.contains { $0.hasPrefix("BYHOUR") || $0.hasPrefix("BYMINUTE") || $0.hasPrefix("BYSECOND") }
  }
}
