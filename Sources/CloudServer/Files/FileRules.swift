/// How much a server keeps of what people bring, and how long of files (spec §6.7, §10.5).
public struct FileRules: Sendable {
  /// Of all that one user makes it keep, in bytes.
  public var quota: UInt64
  /// The same for what is small: whoever filled it with pictures can go on writing, for a while.
  var quotaForWords: UInt64 { quota + min(quota / 8, .max - quota) }
  /// And for permissions: whoever filled it with words can still take somebody off a list.
  var quotaForPermissions: UInt64 { quota + min(quota / 4, .max - quota) }
  /// Of one file, in bytes.
  public var largest: UInt64
  /// How long what nothing lists is kept after its last part, or after the last header that listed it, in milliseconds.
  public var keep: Int64

  /// What a server does unless somebody says otherwise: 10 GiB, 5 GiB, 7 days.
  public init(quota: UInt64 = 10 << 30, largest: UInt64 = 5 << 30, keep: Int64 = 7 * 24 * 3600 * 1000) {
    self.quota = quota
    self.largest = largest
    self.keep = keep
  }
}
