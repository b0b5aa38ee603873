import CloudAPI
import Foundation

/// Where a server is: a URL, or a name, which means https, and http where it is this machine's own: a server here has no
/// certificate, and nobody listens in between.
public struct ServerAddress: Hashable, Sendable, CustomStringConvertible {
  /// Why a text is no server's address.
  public enum Failure: Error, Equatable, Sendable {
    /// Not a name, nor a URL of just a scheme, a host and a port.
    case malformed
    /// Without encryption only this machine can be reached.
    case plainNotLoopback
  }

  /// `https`, or `http` on this machine.
  public let scheme: String
  /// Host and port in lower case, without the scheme's own port: what requests are signed for.
  public let authority: String

  /// Reads a name (`todo.example.org`), a name with a port, or a URL.
  public init(_ text: String) throws(Failure) {
    let text = text.lowercased()
    let (given, rest) = try Self.split(text)
    let (host, port) = try Self.hostAndPort(rest)
    let scheme = given ?? (Self.isLoopback(host) ? "http" : "https")
    guard scheme == "https" || Self.isLoopback(host) else { throw .plainNotLoopback }
    self.scheme = scheme
    let isDefault = port == nil || port == (scheme == "https" ? 443 : 80)
    authority = isDefault ? host : "\(host):\(port ?? 0)"
  }

  /// The URL.
  public var description: String { "\(scheme)://\(authority)" }

  private static func split(_ text: String) throws(Failure) -> (scheme: String?, rest: Substring) {
    for scheme in ["https", "http"] where text.hasPrefix("\(scheme)://") {
      let rest = text.dropFirst(scheme.count + 3)
      return (scheme, rest.hasSuffix("/") ? rest.dropLast() : rest)
    }
    guard !text.contains("/") else { throw .malformed }
    return (nil, Substring(text))
  }

  private static func hostAndPort(_ text: Substring) throws(Failure) -> (host: String, port: Int?) {
    var host = text
    var port: Int?
    let afterBrackets = text.lastIndex(of: "]") ?? text.startIndex
    if let colon = text[afterBrackets...].lastIndex(of: ":") {
      guard let number = UInt16(text[text.index(after: colon)...]), number > 0 else { throw .malformed }
      port = Int(number)
      host = text[..<colon]
    }
    guard isHost(host) else { throw .malformed }
    return (String(host), port)
  }

  private static func isHost(_ host: Substring) -> Bool {
    if host.hasPrefix("[") {
      return host.hasSuffix("]") && host.count > 3
        && host.dropFirst().dropLast().utf8.allSatisfy {
          isHexDigit($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
        }
    }
    let isName = host.utf8.allSatisfy {
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
        || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".")
    }
    return isName && !host.isEmpty && host.utf8.count <= 253 && host.first != "." && host.first != "-"
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
  }

  private static func isLoopback(_ host: String) -> Bool {
    if host == "localhost" || host == "[::1]" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }
}
