/// Where a request comes from, as far as strangers are counted by it (spec §6.4).
enum Origin {
  /// The address of a connection; of one from a proxy, what the proxy says: one on this machine, or one of those that are named.
  static func of(peer: String?, forwarded: String?, proxies: [AddressRange] = []) -> String {
    guard let peer = peer.map(plain) else { return "" }
    guard isProxy(peer, proxies), let last = forwarded?.split(separator: ",").last else { return network(of: peer) }
    let address = plain(String(last.filter { $0 != " " }.prefix(64)))
    return address.isEmpty ? network(of: peer) : network(of: address)
  }

  /// By what a connection is counted; nil for a proxy's, unless those from this machine are counted as well.
  static func ofConnection(peer: String?, countingLoopback: Bool, proxies: [AddressRange] = []) -> String? {
    guard let peer = peer.map(plain) else { return nil }
    if isLoopback(peer) { return countingLoopback ? network(of: peer) : nil }
    return isProxy(peer, proxies) ? nil : network(of: peer)
  }

  /// Whether it tells strangers apart: what comes from this machine is anybody's.
  static func isKnown(_ origin: String) -> Bool {
    !origin.isEmpty && !isLoopback(origin) && origin != network(of: "::1")
  }

  /// Header fields with which a proxy says that it speaks for somebody else.
  private static let forwarding = [
    "forwarded", "via", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-forwarded-port",
    "x-forwarded-server", "x-real-ip", "x-client-ip", "true-client-ip", "cf-connecting-ip",
  ]

  /// Whether a request is from somebody on this machine: by the address of its connection, because nobody passed it on, and because it
  /// names the machine as only its own users do.
  static func isLocal(peer: String?, authority: String, field: (String) -> String?) -> Bool {
    guard let peer = peer.map(plain), isLoopback(peer), ServerNames.isLoopback(authority) else { return false }
    return forwarding.allSatisfy { field($0) == nil }
  }

  private static func isProxy(_ address: String, _ proxies: [AddressRange]) -> Bool {
    isLoopback(address) || proxies.contains { $0.contains(address) }
  }

  /// An IPv4 address as it is, where a socket for both has written it as an IPv6 one.
  private static func plain(_ address: String) -> String {
    let mapped = "::ffff:"
    guard address.lowercased().hasPrefix(mapped), address.contains(".") else { return address }
    return String(address.dropFirst(mapped.count))
  }

  private static func isLoopback(_ address: String) -> Bool { address.hasPrefix("127.") || address == "::1" }

  /// Whoever has one IPv6 address has the 2^64 beside it.
  private static func network(of address: String) -> String {
    guard address.contains(":") else { return address }
    let halves = address.split(separator: "::", maxSplits: 1, omittingEmptySubsequences: false)
    let groups = halves[0].split(separator: ":")
    if groups.count >= 4 || halves.count == 1 { return groups.prefix(4).joined(separator: ":") }
    let rest = halves[1].split(separator: ":")
    let zeros = max(0, 8 - groups.count - rest.count)
    return (groups + Array(repeating: "0", count: zeros) + rest).prefix(4).joined(separator: ":")
  }
}
