/// A request before it meets a network: what is signed, and nothing else.
public struct CloudRequest: Sendable {
  public var method: String
  /// Host and port as the client names the server, lower-case; what a proxy forwards as `host`.
  public var authority: String
  /// Begins with `/`; has no characters that need escaping.
  public var path: String
  /// Without `?`; empty where nothing is asked that way.
  public var query = ""
  /// Lower-case names.
  public var headers: [String: String]
  public var body: [UInt8]
  /// Where it came from, as the server saw it; strangers are counted by it. Empty where nobody knows.
  public var origin = ""
  /// Whether it came from the server's own machine, and was passed on for nobody.
  public var isLocal = false

  public init(
    method: String, authority: String, path: String, headers: [String: String] = [:], body: [UInt8] = []
  ) {
    self.method = method
    self.authority = authority
    self.path = path
    self.headers = headers
    self.body = body
  }
}

/// An answer as it came.
public struct CloudResponse: Sendable {
  public var status: Int
  /// Lower-case names.
  public var headers: [String: String]
  public var body: [UInt8]

  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Carries requests to a server: over HTTP in CloudClient, within the process in tests.
public protocol CloudTransport: Sendable {
  /// Throws `CloudFailure.unreachable` where no answer came: then the server may have acted, or not.
  func send(_ request: CloudRequest) async throws -> CloudResponse
}

/// Why a request has no usable answer. Foreseen answers of the protocol (outcomes) are values.
public enum CloudFailure: Error, Equatable, Sendable {
  /// No answer: not there, cut off, or too slow.
  case unreachable
  /// Something answered that is not a todo server, or not in our words.
  case nonsense
  /// Something on the way takes no requests of this size.
  case tooLarge
  /// The server speaks a newer protocol: update this program.
  case serverNewer
  /// The server refused the request.
  case refused(Refusal)
}
