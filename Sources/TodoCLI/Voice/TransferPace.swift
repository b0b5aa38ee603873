import Treesystem

/// How fast a file goes, and what a person reads of that: `sending 12.4 of 200.0 MB, 3.1 MB/s, 58 s left`.
struct TransferPace: Equatable {
  typealias Direction = TransferProgress.Direction

  let direction: Direction
  let total: UInt64
  private let start: ContinuousClock.Instant
  /// What was there before, and cost no time here: what is told of in the first moment.
  private var before: UInt64
  private var done: UInt64
  /// How many files are left, with this one.
  private let files: Int
  private var last: ContinuousClock.Instant

  private static let moment = Duration.milliseconds(100)

  /// The first word about a file.
  init(_ direction: Direction, done: UInt64, total: UInt64, files: Int = 1, at now: ContinuousClock.Instant) {
    (self.direction, self.total, self.files) = (direction, total, files)
    (self.done, before, start, last) = (done, done, now, now)
  }

  /// Takes note of how far it is. Nil: that is another file.
  func going(
    _ direction: Direction, done: UInt64, total: UInt64, files: Int, at now: ContinuousClock.Instant
  ) -> TransferPace? {
    guard direction == self.direction, total == self.total, files == self.files, done >= self.done else { return nil }
    var pace = self
    (pace.done, pace.last) = (done, now)
    if now - start < Self.moment { pace.before = done }
    return pace
  }

  var text: String {
    let verb = direction == .up ? "sending" : "fetching"
    let rest = files > 1 ? ", \(files - 1) more to go" : ""
    guard total > 0 else { return "\(verb) files" }
    return "\(verb) \(Self.megabytes(done)) of \(Self.megabytes(total)) MB\(speed)\(rest)"
  }

  /// Nothing is said of the first second: it tells little.
  private var speed: String {
    let time = (last - start) / .seconds(1)
    guard time >= 1, done > before else { return "" }
    let rate = Double(done - before) / time
    return ", \(Self.megabytes(UInt64(rate))) MB/s, \(Self.duration(Double(total - done) / rate)) left"
  }

  private static func megabytes(_ bytes: UInt64) -> String {
    let tenths = (bytes + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10)"
  }

  private static func duration(_ seconds: Double) -> String {
    let seconds = Int(min(seconds, 360_000).rounded(.up))
    if seconds < 100 { return "\(seconds) s" }
    return seconds < 6000 ? "\((seconds + 30) / 60) min" : "\((seconds + 1800) / 3600) h"
  }
}

extension ProgressLine {
  /// What is said while another process has the turn.
  static let waitingForFiles = "waiting for another todo that sends or fetches files"
}
