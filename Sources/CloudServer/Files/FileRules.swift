/// How much a server keeps of files, and for how long (spec §10.5).
public struct FileRules: Sendable {
  /// Of one user's uploads and files, in bytes.
  public var quota: UInt64
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
