import Sharing
import Signing
import Treesystem

/// What became of another device of one's own, with the names in it.
struct NamedDeviceNews {
  let news: DeviceChange
  /// Nil: it has told nobody.
  let name: String?
  /// What the device that did it is called; nil: the recovery words did.
  let by: String?

  /// `your device 'phone' (1a2b3c4d) was added with your recovery words (todo devices)`. Not safe for a terminal.
  var sentence: String {
    let short = news.device.description.prefix(8)
    let device = "your device \(name.map { "'\(Complaint.shortened($0))' (\(short))" } ?? String(short))"
    if news.kind == .ended, news.by == news.device { return "\(device) signed out" }
    let how = by.map { "by \($0)" } ?? "with your recovery words"
    return "\(device) was \(news.kind.rawValue) \(how) (todo devices)"
  }

  /// As scripts see it.
  var json: JSON {
    [
      "kind": .string(news.kind.rawValue), "device": .string(news.device.description), "name": .text(name),
      "by_device": .text(news.by?.description), "time": .time(news.time),
    ]
  }
}

extension CloudTransaction {
  /// Adds names to news of devices.
  func named(_ news: [DeviceChange]) throws -> [NamedDeviceNews] {
    try news.map { item in
      let by = try item.by.map { id in try name(of: id).map { "'\($0)'" } ?? String(id.description.prefix(8)) }
      return NamedDeviceNews(news: item, name: try name(of: item.device), by: by)
    }
  }
}
