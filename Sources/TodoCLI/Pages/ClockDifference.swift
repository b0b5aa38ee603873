/// How far this machine's clock is from the server's.
struct ClockDifference {
  /// In milliseconds; negative where it is behind.
  let ahead: Int64

  /// `3 hours ahead of the server's`
  var words: String {
    let seconds = Int(clamping: ahead.magnitude / 1000)
    let length =
      switch seconds {
      case ..<7200: counted(seconds, "second")
      case ..<(48 * 3600): counted(seconds / 3600, "hour")
      default: counted(seconds / (24 * 3600), "day")
      }
    return "\(length) \(ahead > 0 ? "ahead of" : "behind") the server's"
  }

  static let advice = "set this machine's clock; until then, times shown for your changes are wrong"

  /// In one line.
  var notice: String {
    "this machine's clock is \(words): \(Self.advice.replacing("this machine's clock", with: "it"))"
  }
}
