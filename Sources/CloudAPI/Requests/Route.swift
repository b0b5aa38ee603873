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
  case permissions
  case restore
  case batch
  case events
  case content(branch: CloudID, ContentID)

  public var method: String {
    switch self {
    case .health, .handle, .content, .events: "GET"
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
    case .permissions: "/v1/permissions"
    case .restore: "/v1/restore"
    case .batch: "/v1/batch"
    case .events: "/v1/events"
    case .content(let branch, let content): "/v1/contents/\(branch)/\(content)"
    }
  }

  /// Nil where no route has this method and path.
  public init?(method: String, path: String) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
    let fixed: [Route] = [
      .health, .accounts, .keyrings, .keyringAppend, .logins, .loginPoll, .openLogins, .loginAnswer, .heads, .pull,
      .permissions, .restore, .batch, .events,
    ]
    if let route = fixed.first(where: { $0.path == path }) {
      self = route
    } else if parts.count == 3, parts.starts(with: ["v1", "handles"]), isValidHandle(String(parts[3])) {
      self = .handle(String(parts[3]))
    } else if parts.count == 4, parts.starts(with: ["v1", "contents"]),
      let branch = Base16.decode(parts[3]).flatMap({ CloudID(bytes: $0) }),
      let content = Base16.decode(parts[4]).flatMap({ ContentID(bytes: $0) })
    {
      self = .content(branch: branch, content)
    } else {
      return nil
    }
    guard self.method == method else { return nil }
  }
}

/// The protocol's version, sent by both sides in `todo-protocol`.
public let protocolVersion = 1
