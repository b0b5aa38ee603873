import Dates
import Foundation

extension When {
  /// As a register holds it (spec §7.9).
  var value: [UInt8] {
    switch self {
    case .day(let day): Array(day.iso.utf8)
    case .moment(let time): timeValue(time)
    }
  }

  /// Nil for what is neither a day nor a moment.
  init?(value: some Collection<UInt8>) {
    switch value.count {
    case 8: self = .moment(Int64(clamping: value.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }))
    case 10:
      guard let day = Day(iso: String(decoding: value, as: UTF8.self)) else { return nil }
      self = .day(day)
    default: return nil
    }
  }

  /// The same from a column.
  init?(column value: Data?) {
    guard let value else { return nil }
    self.init(value: Array(value))
  }
}

extension [UInt8] {
  /// As a column holds it.
  var data: Data { Data(self) }
}
