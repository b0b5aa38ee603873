import Foundation
public import Signing

/// Who signs a request: a device of a user, or the user's root at sign-in (spec §6.1).
public struct Caller: Hashable, Sendable {
  public let user: UserID
  /// Nil: the root.
  public let device: DeviceID?

  public init(user: UserID, device: DeviceID?) {
    self.user = user
    self.device = device
  }

  init?(keyid: some StringProtocol) {
    let parts = keyid.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, let user = UserID(text: String(parts[0])) else { return nil }
    self.user = user
    if parts[1] == "root" {
      device = nil
    } else {
      guard let bytes = Base16.decode(parts[1]), let device = DeviceID(bytes: bytes) else { return nil }
      self.device = device
    }
  }

  var keyid: String { "\(user)/\(device?.description ?? "root")" }
}

/// The signature of one request, parsed and not yet believed.
public struct RequestSignature: Sendable {
  public let caller: Caller
  /// Seconds since 1970.
  public let created: Int64
  public let expires: Int64
  /// 32 characters of base16.
  public let nonce: String
  private let parameters: String
  private let signature: Signature

  private static let components = #"("@method" "@authority" "@path" "@query" "content-digest")"#

  /// Reads the headers of a request; refuses anything but our profile of RFC 9421, character for character.
  public init(of request: CloudRequest) throws(Refusal) {
    guard let input = request.headers["signature-input"], let value = request.headers["signature"],
      request.headers["content-digest"]?.hasPrefix("sha-256=:") == true, input.hasPrefix("todo="),
      value.hasPrefix("todo=:"), value.hasSuffix(":"), value.count > 7,
      let bytes = Data(base64Encoded: String(value.dropFirst(6).dropLast())), let signature = Signature(bytes: bytes)
    else { throw .malformed }
    let parameters = String(input.dropFirst(5))
    guard parameters.hasPrefix(Self.components) else { throw .malformed }
    let items = parameters.dropFirst(Self.components.count).split(separator: ";", omittingEmptySubsequences: false)
    guard items.count == 6, items[0].isEmpty, items[5] == #"alg="ed25519""#,
      let created = Self.value("created", items[1]).flatMap({ Int64($0) }),
      let expires = Self.value("expires", items[2]).flatMap({ Int64($0) }),
      let nonce = Self.quoted("nonce", items[3]), nonce.utf8.count == 32, Base16.decode(nonce) != nil,
      let caller = Self.quoted("keyid", items[4]).flatMap({ Caller(keyid: $0) })
    else { throw .malformed }
    self.caller = caller
    self.created = created
    self.expires = expires
    self.nonce = nonce
    self.parameters = parameters
    self.signature = signature
    guard self.rendered == parameters else { throw .malformed }
  }

  /// Judges it: digest, time, key. The caller's key comes from their keyring; the nonce is the server's to remember.
  public func verify(_ request: CloudRequest, key: PublicKey, now: Int64) throws(Refusal) {
    try verify(bodyOf: request)
    try verify(headOf: request, key: key, now: now)
  }

  /// Compares the body with the digest, which is signed.
  package func verify(bodyOf request: CloudRequest) throws(Refusal) {
    guard request.headers["content-digest"] == Self.digest(of: request.body) else { throw .digestWrong }
  }

  /// The same for a request whose body is still to come. Whoever takes that compares it with the digest in the end.
  public func verify(headOf request: CloudRequest, key: PublicKey, now: Int64) throws(Refusal) {
    try verify(headOf: request, key: key, now: now) { $0.verifies($1, plain: $2) }
  }

  /// The same by a check that may remember what it has checked before.
  package func verify(
    headOf request: CloudRequest, key: PublicKey, now: Int64, _ verifies: (PublicKey, Signature, [UInt8]) -> Bool
  ) throws(Refusal) {
    let life = expires.subtractingReportingOverflow(created)
    guard !life.overflow, (1...60).contains(life.partialValue) else { throw .malformed }
    let seconds = now / 1000
    guard created <= seconds + Limits.requestLife / 1000, seconds < expires else { throw .clockSkew }
    guard verifies(key, signature, Self.base(of: request, parameters)) else { throw .signatureBad }
  }

  private var rendered: String { Self.render(caller, created, expires, nonce) }

  private static func render(_ caller: Caller, _ created: Int64, _ expires: Int64, _ nonce: String) -> String {
    #"\#(components);created=\#(created);expires=\#(expires);nonce="\#(nonce)";keyid="\#(caller.keyid)";alg="ed25519""#
  }

  private static func value(_ name: String, _ item: Substring) -> Substring? {
    item.hasPrefix("\(name)=") ? item.dropFirst(name.count + 1) : nil
  }

  private static func quoted(_ name: String, _ item: Substring) -> String? {
    guard let text = value(name, item), text.count >= 2, text.first == "\"", text.last == "\"" else { return nil }
    return String(text.dropFirst().dropLast())
  }

  static func digest(of body: [UInt8]) -> String { digest(sha256(body)) }

  /// A body's SHA-256 as `content-digest` has it.
  package static func digest(_ hash: [UInt8]) -> String { "sha-256=:\(Data(hash).base64EncodedString()):" }

  /// The signature base of RFC 9421 §2.5.
  private static func base(of request: CloudRequest, _ parameters: String) -> [UInt8] {
    let lines = [
      #""@method": \#(request.method)"#,
      #""@authority": \#(request.authority)"#,
      #""@path": \#(request.path)"#,
      ##""@query": ?\##(request.query)"##,
      #""content-digest": \#(request.headers["content-digest"] ?? "")"#,
      #""@signature-params": \#(parameters)"#,
    ]
    return Array(lines.joined(separator: "\n").utf8)
  }

  /// Adds digest and signature to a request. `now` is in milliseconds, corrected by the server's clock.
  package static func sign(
    _ request: inout CloudRequest, as caller: Caller, with key: SigningKey, now: Int64, _ entropy: some Entropy
  ) {
    let created = now / 1000
    let parameters = render(caller, created, created + 60, Base16.encode(entropy.bytes(16)))
    request.headers["content-digest"] = digest(of: request.body)
    request.headers["signature-input"] = "todo=\(parameters)"
    let signature = key.sign(plain: base(of: request, parameters))
    request.headers["signature"] = "todo=:\(Data(signature.bytes).base64EncodedString()):"
  }
}
