public import Signing

/// The routes of spec §6. One list for client and server.
public enum Route: Hashable, Sendable {
  case health
  case accounts
  case handle(String)
  case keyrings
  case keyringAppend
  case logins
  case loginPoll
  case openLogins
  case loginAnswer
  case heads
  case pull
  case newest
  case permissions
  case restore
  case batch
  case events
  case content(branch: CloudID, ContentID)
  /// The hashes of a file's leaves.
  case leaves(branch: CloudID, ContentID)
  case upload(ContentID)
  /// The same path: takes the upload away.
  case abandonedUpload(ContentID)
  case filePart(ContentID, part: UInt64)

  public var method: String {
    switch self {
    case .health, .handle, .content, .leaves, .upload, .events: "GET"
    case .filePart: "PUT"
    case .abandonedUpload: "DELETE"
    default: "POST"
    }
  }

  public var path: String {
    switch self {
    case .health: "/health"
    case .accounts: "/v1/accounts"
    case .handle(let handle): "/v1/handles/\(handle)"
    case .keyrings: "/v1/keyrings"
    case .keyringAppend: "/v1/keyrings/append"
    case .logins: "/v1/logins"
    case .loginPoll: "/v1/logins/poll"
    case .openLogins: "/v1/logins/open"
    case .loginAnswer: "/v1/logins/answer"
    case .heads: "/v1/heads"
    case .pull: "/v1/pull"
    case .newest: "/v1/newest"
    case .permissions: "/v1/permissions"
    case .restore: "/v1/restore"
    case .batch: "/v1/batch"
    case .events: "/v1/events"
    case .content(let branch, let content): "/v1/contents/\(branch)/\(content)"
    case .leaves(let branch, let content): "/v1/contents/\(branch)/\(content)/leaves"
    case .upload(let content), .abandonedUpload(let content): "/v1/files/\(content)"
    case .filePart(let content, let part): "/v1/files/\(content)/\(part)"
    }
  }

  /// Nil where no route has this method and path.
  public init?(method: String, path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let fixed: [Route] = [
      .health, .accounts, .keyrings, .keyringAppend, .logins, .loginPoll, .openLogins, .loginAnswer, .heads, .pull,
      .newest,
      .permissions, .restore, .batch, .events,
    ]
    if let route = fixed.first(where: { $0.path == path }) {
      self = route
    } else if parts.count == 3, parts.starts(with: ["v1", "handles"]), isValidHandle(String(parts[3])) {
      self = .handle(String(parts[3]))
    } else if let route = Self.content(Array(parts)) ?? Self.file(Array(parts), method) {
      self = route
    } else {
      return nil
    }
    guard self.method == method else { return nil }
  }

  private static func content(_ parts: [Substring]) -> Route? {
    guard (4...5).contains(parts.count), parts.starts(with: ["v1", "contents"]),
      let branch = Base16.decode(parts[2]).flatMap({ CloudID(bytes: $0) }),
      let content = Base16.decode(parts[3]).flatMap({ ContentID(bytes: $0) })
    else { return nil }
    if parts.count == 4 { return .content(branch: branch, content) }
    return parts[4] == "leaves" ? .leaves(branch: branch, content) : nil
  }

  private static func file(_ parts: [Substring], _ method: String) -> Route? {
    guard (3...4).contains(parts.count), parts.starts(with: ["v1", "files"]),
      let content = Base16.decode(parts[2]).flatMap({ ContentID(bytes: $0) })
    else { return nil }
    if parts.count == 3 { return method == "DELETE" ? .abandonedUpload(content) : .upload(content) }
    return Digits.value(parts[3]).map { .filePart(content, part: $0) }
  }

  /// Whether something is asked after a `?`.
  public var hasQuery: Bool {
    switch self {
    case .leaves, .filePart: true
    default: false
    }
  }
}

/// Numbers in paths, queries and headers: each is written in one way only.
enum Digits {
  /// Nil for anything but digits without needless zeros.
  static func value(_ text: some StringProtocol) -> UInt64? {
    guard let value = UInt64(text), String(value) == text else { return nil }
    return value
  }
}

/// The protocol's version, sent by both sides in `todo-protocol`.
public let protocolVersion = 1

/// The version of the programs, which are released together.
public let programVersion = "0.1.0"
