import CloudAPI
import SwiftProtobuf
public import Treesystem

extension CloudTransaction {
  /// A setting of the app that all devices of this account have; nil where nobody chose. No other user can write it.
  public func setting(_ name: String) throws -> [UInt8]? {
    guard case .setting(let setting)? = try preference("setting", Array(name.utf8)), !setting.value.isEmpty else {
      return nil
    }
    return Array(setting.value)
  }

  /// Chooses a setting of the app for all devices of this account.
  public func setSetting(_ name: String, to value: [UInt8]) throws {
    if try setting(name) == value { return }
    try setPreference(.setting(.with { ($0.name, $0.value) = (name, data(value)) }))
  }
}
