/// What happened, one line a step. Two runs of a seed must give the same hash.
final class Chronicle {
  private(set) var lines: [String] = []
  private(set) var hash: UInt64 = 0xCBF2_9CE4_8422_2325
  /// Hears each line as it comes.
  var listener: ((String) -> Void)?

  func add(_ line: String) {
    for byte in line.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    lines.append(line)
    listener?(line)
  }
}
