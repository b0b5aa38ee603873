import Signing

/// Where worlds begin: files of a server and of devices, made once and copied for every seed.
struct Template: @unchecked Sendable {
  struct Somebody {
    let handle: String
    let root: RootKey?
  }

  struct Device {
    let name: String
    let handle: String
    let files: [String: [UInt8]]
  }

  var now: Int64 = 1_790_000_000_000
  var server: [String: [UInt8]] = [:]
  var people: [Somebody] = []
  var devices: [Device] = []
  /// A profile in which nothing was ever done.
  var blank: [String: [UInt8]] = [:]
}
