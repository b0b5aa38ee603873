package import Foundation
public import Signing

/// A place in a branch log: a line number and the log hash there (spec §4.1). Line 0 is before the first.
public struct LogHead: Hashable, Sendable {
  public let line: UInt64
  public let hash: Hash32

  public init(line: UInt64, hash: Hash32) {
    self.line = line
    self.hash = hash
  }

  /// A place as somebody names it: a counter and 32 bytes, or it is malformed.
  package init(told line: UInt64, _ hash: Data) throws(Refusal) {
    self.init(line: try counter(line), hash: try fixed(hash))
  }

  /// Where every log of `branch` begins.
  public init(startOf branch: CloudID) { self.init(line: 0, hash: digest(.log, branch.bytes)) }

  /// The head once `line` is appended.
  public func appending(_ line: Line) -> LogHead {
    LogHead(line: line.number, hash: digest(.line, hash.bytes + line.encoded))
  }
}

/// One line of a branch log (spec §4.2).
public struct Line: Hashable, Sendable {
  /// What a line records.
  public enum Kind: UInt8, Sendable {
    case header = 1
    case tombstone = 2
    case permissions = 3
  }

  /// The encoded length in bytes.
  public static let length = 57

  public let number: UInt64
  public let kind: Kind
  /// The node; for permissions the branch.
  public let cloudID: CloudID
  /// The record hash.
  public let hash: Hash32

  public init(number: UInt64, kind: Kind, cloudID: CloudID, hash: Hash32) {
    self.number = number
    self.kind = kind
    self.cloudID = cloudID
    self.hash = hash
  }

  /// 57 bytes.
  public var encoded: [UInt8] { BigEndian.bytes(number) + [kind.rawValue] + cloudID.bytes + hash.bytes }

  /// Reads the lines that a page carries.
  public static func decode(_ bytes: [UInt8]) throws(Refusal) -> [Line] {
    guard bytes.count.isMultiple(of: length) else { throw .malformed }
    var lines: [Line] = []
    for start in stride(from: 0, to: bytes.count, by: length) {
      guard let kind = Kind(rawValue: bytes[start + 8]),
        let cloudID = CloudID(bytes: bytes[start + 9..<start + 25]),
        let hash = Hash32(bytes: bytes[start + 25..<start + 57])
      else { throw .malformed }
      let number = try counter(BigEndian.read(bytes[start..<start + 8]))
      lines.append(Line(number: number, kind: kind, cloudID: cloudID, hash: hash))
    }
    return lines
  }
}
