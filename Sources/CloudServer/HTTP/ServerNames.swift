/// By which names clients reach a server: the host, with or without a port, of each request's authority.
public struct ServerNames: Equatable, Sendable {
  /// None: whatever a client calls the server is taken.
  private let names: [String]
  /// Whether this machine's own names are taken beside them.
  private let takesLoopback: Bool

  /// Every name is taken.
  public static let any = ServerNames([], takesLoopback: true)

  /// `names` are hosts, with a port where only that one is meant.
  public init(_ names: [String], takesLoopback: Bool) {
    self.names = names.map { $0.lowercased() }
    self.takesLoopback = takesLoopback
  }

  /// Whether a request with this authority is for this server.
  func admit(_ authority: String) -> Bool {
    if names.isEmpty || takesLoopback && Self.isLoopback(authority) { return true }
    let authority = authority.lowercased()
    return names.contains(authority) || names.contains(Self.host(of: authority))
  }

  /// Whether an authority is a name of the machine itself.
  static func isLoopback(_ authority: String) -> Bool {
    let host = host(of: authority.lowercased())
    return host == "localhost" || isLoopback(address: host)
  }

  /// Whether an address, or one in brackets, is the machine's own.
  static func isLoopback(address: String) -> Bool {
    if address == "::1" || address == "[::1]" { return true }
    let parts = address.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Whether this can be a name: a host, and perhaps a port, and nothing else.
  public static func isName(_ text: String) -> Bool {
    let host = host(of: text)
    let port = text.dropFirst(host.count)
    guard port.isEmpty || UInt16(port.dropFirst()).map({ $0 > 0 }) == true else { return false }
    let isBracketed = host.hasPrefix("[") && host.hasSuffix("]") && host.count > 3
    let rest = isBracketed ? host.dropFirst().dropLast() : Substring(host)
    return !rest.isEmpty && host.utf8.count <= 253
      && rest.utf8.allSatisfy { byte in
        let isLetter = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
        return isLetter || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
          || byte == UInt8(ascii: isBracketed ? ":" : "-")
      }
  }

  private static func host(of authority: String) -> String {
    let afterBrackets = authority.lastIndex(of: "]") ?? authority.startIndex
    guard let colon = authority[afterBrackets...].lastIndex(of: ":") else { return authority }
    return String(authority[..<colon])
  }
}
