/// The clock on a wall by which somebody meant a moment: a time of day in a zone. What comes back comes back by it, whoever ticks it and
/// wherever they are.
public struct ZonedTime: Hashable, Sendable {
  /// The zone's name in the IANA database, `Asia/Tokyo`.
  public let zone: String
  /// Minutes since midnight, 0 to 1439.
  public let minute: Int

  /// The longest name of a zone that is believed, in bytes.
  public static let longestZone = 64

  /// What a clock in a zone shows at a moment; nil for a day, and where nobody knows the zone's name.
  public init?(_ when: When?, in zone: Zone) {
    guard case .moment(let time) = when, let name = zone.name, Self.isName(name) else { return nil }
    (self.zone, minute) = (name, zone.wallTime(at: time).minute)
  }

  /// Of `09:00 Asia/Tokyo`.
  public init?(text: String) {
    let digits = text.utf8.prefix(5).compactMap { (48...57).contains($0) ? Int($0) - 48 : nil }
    let zone = text.dropFirst(6)
    guard digits.count == 4, text.dropFirst(2).first == ":", text.dropFirst(5).first == " ", Self.isName(zone) else {
      return nil
    }
    let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
    guard hour < 24, minute < 60 else { return nil }
    (self.zone, self.minute) = (String(zone), hour * 60 + minute)
  }

  /// `09:00 Asia/Tokyo`
  public var text: String { "\(WallTime(day: .epoch, minute: minute).clock) \(zone)" }

  /// Whether it shows this, with `zone` the one of that name: by another program somebody may have moved the moment and not the clock.
  public func shows(_ when: When?, in zone: Zone) -> Bool {
    guard case .moment(let time) = when else { return false }
    // A time that the clocks skip is shown later.
    let meant = zone.moment(of: WallTime(day: zone.day(at: time), minute: minute))
    return zone.wallTime(at: time) == zone.wallTime(at: meant)
  }

  private static func isName(_ name: some StringProtocol) -> Bool {
    (1...longestZone).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte) || "/_+-".utf8.contains(byte)
      }
  }
}
