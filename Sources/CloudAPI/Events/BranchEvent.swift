public import Signing

/// That a branch is at a line: all that the server says by itself (spec §6.5). A reason to pull, and nothing to believe.
public struct BranchEvent: Hashable, Sendable {
  public let branch: CloudID
  public let line: UInt64

  public init(branch: CloudID, line: UInt64) {
    self.branch = branch
    self.line = line
  }

  /// As it stands in the stream, with the empty line after it.
  package var encoded: String { "data: \(branch) \(line)\n\n" }

  /// A comment: that the server is still there.
  package static let heartbeat = ":\n\n"
}

/// Takes an event stream apart, however it was cut on the way.
struct EventParser {
  private var line: [UInt8] = []

  /// The events that end in these bytes. Throws where a line is longer than any of ours.
  mutating func take(_ bytes: [UInt8]) throws(CloudFailure) -> [BranchEvent] {
    var events: [BranchEvent] = []
    for byte in bytes {
      if byte == UInt8(ascii: "\n") {
        if let event = Self.event(line) { events.append(event) }
        line.removeAll(keepingCapacity: true)
      } else {
        line.append(byte)
        guard line.count <= Limits.eventLineBytes else { throw .nonsense }
      }
    }
    return events
  }

  /// Nil for comments, empty lines, and what a newer server may say.
  private static func event(_ line: [UInt8]) -> BranchEvent? {
    let words = String(decoding: line, as: UTF8.self).split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 3, words[0] == "data:", let number = UInt64(words[2]),
      let branch = Base16.decode(words[1]).flatMap({ CloudID(bytes: $0) })
    else { return nil }
    return BranchEvent(branch: branch, line: number)
  }
}
