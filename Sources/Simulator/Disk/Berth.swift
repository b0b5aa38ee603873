/// Where the files of a process lie: paths are `/NUMBER/NAME`, and the number stands for a process of a machine.
final class Berth {
  nonisolated(unsafe) private static var count = 0
  nonisolated(unsafe) private static var all: [Int: Weak<Berth>] = [:]

  let number: Int
  let machine: Machine
  let process: Int

  init(_ machine: Machine, process: Int) {
    Self.count += 1
    number = Self.count
    self.machine = machine
    self.process = process
    Self.all[number] = Weak(self)
  }

  deinit { Self.all[number] = nil }

  /// Finds the berth that a path belongs to.
  static func resolve(_ path: String) -> (berth: Berth, name: String)? {
    let parts = path.split(separator: "/", maxSplits: 1)
    guard parts.count == 2, let number = Int(parts[0]), let berth = all[number]?.value else { return nil }
    return (berth, String(parts[1]))
  }
}
