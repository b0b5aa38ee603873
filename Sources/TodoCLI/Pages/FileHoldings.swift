import Sharing
import Signing
import TodoCore
import Treesystem

/// What of images and other files lies on this device.
struct FileHoldings {
  /// In bytes, as they lie on the disk.
  let persistent: Int64
  /// What the server has too, and goes where room is needed.
  let cached: Int64
  let limits: DiskLimits
  let waiting: (count: Int, bytes: Int64)
  /// Whether there is a server to send to.
  var hasServer = true

  /// `1.2 MB kept, 20.1 MB of 25M cached, 2 to send (1.2 MB)`; nil where there is nothing.
  var words: String? {
    guard persistent > 0 || cached > 0 || waiting.count > 0 else { return nil }
    let days = limits.expiry < 0 ? "" : " for \(counted(Int(limits.expiry / 86_400_000), "day"))"
    let queue = waiting.count == 0 || !hasServer ? nil : "\(waiting.count) to send (\(shortSize(waiting.bytes)))"
    return [
      "\(shortSize(persistent)) kept", "\(shortSize(cached)) of \(shortSize(limits.pool)) cached\(days)", queue,
    ].compactMap { $0 }.joined(separator: ", ")
  }

  var json: JSON {
    [
      "persistent": .int(persistent), "cached": .int(cached), "cache_limit": .int(limits.pool),
      "cache_days": limits.expiry < 0 ? .null : .int(limits.expiry / 86_400_000),
      "waiting": .int(Int64(waiting.count)), "waiting_bytes": .int(waiting.bytes),
    ]
  }
}

extension CloudTransaction {
  func fileHoldings() throws -> FileHoldings {
    FileHoldings(
      persistent: try size(of: .persistent), cached: try size(of: .cache), limits: try diskLimits(),
      waiting: try waitingFiles(), hasServer: try account() != nil)
  }

  /// How many images of todos are not on this device.
  func imagesElsewhere() throws -> Int { try lists().reduce(0) { try $0 + imagesElsewhere(on: $1.node).count } }
}
