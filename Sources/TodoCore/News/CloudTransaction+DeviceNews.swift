import GRDB
public import Treesystem

extension CloudTransaction {
  /// What became of this account's other devices, but for what the person has met in this way already; the first first.
  public func deviceNews(below state: NewsState) throws -> [DeviceChange] {
    try deviceChanges().filter { try metState(of: $0) < state.rawValue }
  }

  /// Remembers that this person has met news of devices.
  public func mark(_ news: [DeviceChange], as state: NewsState) throws {
    for item in news {
      try db.execute(
        sql: """
          INSERT INTO device_news (device, kind, state) VALUES (?, ?, ?)
          ON CONFLICT DO UPDATE SET state = max(state, excluded.state)
          """, arguments: [item.device, item.kind.rawValue, state.rawValue])
    }
  }

  private func metState(of change: DeviceChange) throws -> Int64 {
    try Int64.fetchOne(
      db, sql: "SELECT state FROM device_news WHERE device = ? AND kind = ?",
      arguments: [change.device, change.kind.rawValue]) ?? 0
  }
}
