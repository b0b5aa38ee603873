/// Where a request comes from, as far as strangers are counted by it (spec §6.4).
enum Origin {
  /// The address of a connection; of one from this machine, which is a proxy's, what the proxy says.
  static func of(peer: String?, forwarded: String?) -> String {
    guard let peer = peer.map(plain) else { return "" }
    guard isLoopback(peer), let last = forwarded?.split(separator: ",").last else { return network(of: peer) }
    let address = plain(String(last.filter { $0 != " " }.prefix(64)))
    return address.isEmpty ? network(of: peer) : network(of: address)
  }

  /// By what a connection is counted; nil for one from this machine, unless those are counted as well.
  static func ofConnection(peer: String?, countingLoopback: Bool) -> String? {
    guard let peer = peer.map(plain), countingLoopback || !isLoopback(peer) else { return nil }
    return network(of: peer)
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
