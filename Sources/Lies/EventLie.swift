import CloudAPI

/// What becomes of what an event stream says (spec §6.5).
package struct EventLie: Sendable {
  package let name: String
  package let end: Ending
  private let bend: @Sendable ([UInt8]) -> [[UInt8]]

  private init(_ name: String, _ end: Ending, _ bend: @escaping @Sendable ([UInt8]) -> [[UInt8]]) {
    self.name = name
    self.end = end
    self.bend = bend
  }

  /// What is written in the place of events as the server writes them.
  package func chunks(for honest: [UInt8]) -> [[UInt8]] { bend(honest) }

  /// More than any listener could need, and few enough to count.
  private static let repetitions = 200

  package static let all: [EventLie] = [
    EventLie("event withheld", .harmless(.before)) { _ in [] },
    EventLie("event cut off", .harmless(.before)) { honest in
      honest.firstIndex(of: UInt8(ascii: "\n")).map { [Array(honest[..<$0])] } ?? []
    },
    each("event with a line of the past", .harmless(.before)) { branch, _ in "data: \(branch) 1\n\n" },
    each("event with a line far ahead", .harmless(.honest)) { branch, _ in "data: \(branch) \(UInt64.max)\n\n" },
    each("event with a line that is no number", .harmless(.before)) { branch, line in "data: \(branch) \(line)0x\n\n" },
    each("event with a number that is too great", .harmless(.before)) { branch, line in
      "data: \(branch) \(line)\(UInt64.max)\n\n"
    },
    each("event of a branch that nobody here has", .harmless(.before)) { branch, line in
      "data: \(String(branch.reversed())) \(line)\n\n"
    },
    each("event of another kind", .harmless(.before)) { branch, line in "event: \(branch) \(line)\n\n" },
    EventLie("event repeated", .harmless(.honest)) { honest in Array(repeating: honest, count: repetitions) },
    EventLie("event byte by byte", .harmless(.honest)) { honest in honest.map { [$0] } },
    EventLie("events among what is no text", .harmless(.honest)) { honest in
      [[0xFF, 0xFE, 0, 0x0A] + Array("data:\ndata: \n\u{1B}[2J\n".utf8) + honest]
    },
    EventLie("line without an end", .ends(.nonsense)) { honest in
      Array(repeating: [UInt8](repeating: UInt8(ascii: ":"), count: Limits.eventLineBytes), count: 2) + [honest]
    },
  ]

  /// Another event in the place of each.
  private static func each(
    _ name: String, _ end: Ending, _ bend: @escaping @Sendable (String, UInt64) -> String
  ) -> EventLie {
    EventLie(name, end) { honest in
      let lines = String(decoding: honest, as: UTF8.self).split(separator: "\n")
      let told = lines.compactMap { line -> String? in
        let words = line.split(separator: " ")
        guard words.count == 3, let number = UInt64(words[2]) else { return nil }
        return bend(String(words[1]), number)
      }
      return [Array(told.joined().utf8)]
    }
  }
}
