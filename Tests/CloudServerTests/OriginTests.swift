import Testing

@testable import CloudServer

/// By what strangers are counted (spec §6.4).
struct OriginTests {
  private let proxies = ["10.0.0.7", "172.16.0.0/12", "fd00::/8"].compactMap { AddressRange($0) }

  @Test(arguments: [
    ("127.0.0.1", "203.0.113.9"), ("::1", "203.0.113.9"), ("10.0.0.7", "203.0.113.9"),
    ("::ffff:172.31.9.9", "203.0.113.9"), ("fd12::1", "203.0.113.9"),
    ("10.0.0.8", "10.0.0.8"), ("172.32.0.1", "172.32.0.1"), ("fe80::1", "fe80:0:0:0"),
  ])
  func onlyAProxyIsBelieved(peer: String, origin: String) {
    #expect(Origin.of(peer: peer, forwarded: "198.51.100.1, 203.0.113.9", proxies: proxies) == origin)
  }

  @Test func aProxysConnectionsAreEverybodys() {
    let of = { Origin.ofConnection(peer: $0, countingLoopback: false, proxies: proxies) }
    #expect(of("10.0.0.7") == nil && of("127.0.0.1") == nil)
    #expect(of("10.0.0.8") == "10.0.0.8")
  }

  @Test(arguments: ["", "proxy", "10.0.0", "10.0.0.7/33", "10.0.0.7/", "10.0.0.7/-1", "fd00::/129"])
  func othersAreNoAddresses(text: String) { #expect(AddressRange(text) == nil) }
}
