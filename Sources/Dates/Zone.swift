/// A time zone: how far its clocks are ahead of UTC, in seconds, at a moment given in seconds since 1970.
///
/// It is asked and never built in, so that tests and the simulator bring their own.
public struct Zone: Sendable {
  /// Its name in the IANA database, `Europe/Berlin`; nil where nobody knows it.
  public let name: String?
  private let offset: @Sendable (_ seconds: Int64) -> Int

  public init(name: String? = nil, offset: @escaping @Sendable (_ seconds: Int64) -> Int) {
    self.name = name
    self.offset = offset
  }

  public static let utc = Zone { _ in 0 }

  /// What the clocks there show at a moment, in milliseconds since 1970.
  public func wallTime(at milliseconds: Int64) -> WallTime {
    let seconds = floorDivided(milliseconds, by: 1000)
    let local = seconds + Int64(offset(seconds))
    let days = floorDivided(local, by: 86_400)
    let day = Day(number: Int(clamping: days)) ?? Day(iso: days < 0 ? "0001-01-01" : "9999-12-31")
    return WallTime(day: day ?? .epoch, minute: Int(local - days * 86_400) / 60)
  }

  /// The day there at a moment, in milliseconds since 1970.
  public func day(at milliseconds: Int64) -> Day { wallTime(at: milliseconds).day }

  /// When the clocks there show this, in milliseconds since 1970.
  ///
  /// What they show twice, when they are put back, is the first of both. What they skip, when they are put forward, is as much
  /// later as they skip: 02:30 is 03:30.
  public func moment(of wall: WallTime) -> Int64 {
    let local = Int64(wall.day.number) * 86_400 + Int64(wall.minute) * 60
    // A day before and after, whatever the offset: between them the clocks change once at most.
    let before = Int64(offset(local - 86_400))
    let after = Int64(offset(local + 86_400))
    let first = local - before
    if Int64(offset(first)) == before { return first * 1000 }
    let second = local - after
    if Int64(offset(second)) == after { return second * 1000 }
    return first * 1000
  }

  /// When a day begins there, in milliseconds since 1970.
  public func start(of day: Day) -> Int64 { moment(of: WallTime(day: day, minute: 0)) }

  /// The first moment that something is due, or begins, at; in milliseconds since 1970.
  public func start(of when: When) -> Int64 {
    switch when {
    case .day(let day): start(of: day)
    case .moment(let time): time
    }
  }

  /// The day there of something.
  public func day(of when: When) -> Day {
    switch when {
    case .day(let day): day
    case .moment(let time): day(at: time)
    }
  }
}

/// What a clock on the wall shows.
public struct WallTime: Hashable, Sendable {
  public var day: Day
  /// Minutes since midnight, 0 to 1439.
  public var minute: Int

  public init(day: Day, minute: Int) {
    self.day = day
    self.minute = minute
  }

  /// `18:05`
  public var clock: String { "\(digits(minute / 60, 2)):\(digits(minute % 60, 2))" }
}

extension Day {
  static let epoch = Day(unchecked: 0)

  private init(unchecked number: Int) { self.number = number }
}

private func floorDivided(_ number: Int64, by divisor: Int64) -> Int64 {
  let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
  return rest < 0 ? quotient - 1 : quotient
}
