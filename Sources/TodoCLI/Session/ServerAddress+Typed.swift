import CloudClient

extension ServerAddress {
  /// As somebody types it. Without a scheme it means https, or http where it is this machine: a server here has no certificate,
  /// and nobody listens in between.
  init(typed text: String) throws(Failure) {
    let isBare = !text.contains("/")
    try self.init(isBare && Self.isThisMachine(text) ? "http://\(text)" : text)
  }

  /// Plain http is taken for nothing else.
  private static func isThisMachine(_ text: String) -> Bool { (try? ServerAddress("http://\(text)")) != nil }
}
