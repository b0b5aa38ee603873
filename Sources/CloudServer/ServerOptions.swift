import CloudAPI
import Foundation
import Logging
import Signing

/// What a server is started with, and how it is run from beginning to end.
public struct ServerOptions: Sendable {
  /// How `--sign-up` says who may make an account.
  public enum SignUp: String, CaseIterable, Sendable {
    case open
    case closed
    case token
  }

  public var folder: String
  public var host: String
  public var port: Int
  /// Nil: those on this machine, and whoever has the token in the folder.
  public var signUp: SignUp?
  public var tokenFile: String?
  /// Whether requests are left out of the log.
  public var quiet: Bool
  /// How many requests are worked on at once.
  public var threads: Int
  /// How many connections one address may hold at once; those from this machine, a proxy's, are not counted.
  public var connectionsOfAddress: Int
  /// Proxies on other machines, whose `x-forwarded-for` is believed.
  public var proxies: [AddressRange]
  /// By which names clients may reach this server; empty: by any.
  public var names: [String]
  /// How many days the contents of a list are kept whose owner has deleted it for everybody.
  public var keepDeleted: Int
  /// How much of files is kept, and for how long.
  public var files: FileRules
  /// Whether lost lines are taken back from those who have them (spec §4.5).
  public var acceptRestores: Bool
  /// How many days a list waits then for a device of its owner.
  public var restoreWait: Int

  /// `listen` is HOST:PORT; an IPv6 host stands in brackets.
  public init(
    folder: String, listen: String, signUp: SignUp? = nil, tokenFile: String? = nil, quiet: Bool = false,
    threads: Int = HTTPLimits().threads, connectionsOfAddress: Int = HTTPLimits().connectionsOfAddress,
    proxies: [AddressRange] = [], names: [String] = [], keepDeleted: Int = 30, files: FileRules = FileRules(),
    acceptRestores: Bool = false, restoreWait: Int = 7
  ) throws(StartFailure) {
    guard let colon = listen.lastIndex(of: ":"), let port = UInt16(listen[listen.index(after: colon)...]) else {
      throw .addressMalformed(listen)
    }
    var host = String(listen[..<colon])
    if host.hasPrefix("["), host.hasSuffix("]") { host = String(host.dropFirst().dropLast()) }
    guard !host.isEmpty else { throw .addressMalformed(listen) }
    self.folder = folder
    self.host = host
    self.port = Int(port)
    self.signUp = signUp
    self.tokenFile = tokenFile
    self.quiet = quiet
    self.threads = threads
    self.connectionsOfAddress = connectionsOfAddress
    self.proxies = proxies
    self.names = names
    self.keepDeleted = keepDeleted
    self.files = files
    self.acceptRestores = acceptRestores
    self.restoreWait = restoreWait
  }

  /// Opens the storage, serves until SIGTERM or SIGINT, and closes it. `onListening` gets the server's address; `onToken` gets the
  /// token for those elsewhere as long as nobody has an account, if this server is for any.
  public func run(
    onToken: (String) -> Void = { _ in }, onListening: @escaping @Sendable (String) -> Void
  ) async throws {
    let policy = try policy()
    let storage = try SQLiteStorage(folder: folder)
    defer { storage.close() }
    if signUp == nil, isForOthers, try !storage.read({ try $0.hasAccounts() }) {
      onToken(try SignUpToken(in: folder).text)
    }
    let logger = CloudHTTPServer.logger(quiet: quiet)
    let grace = Int64(keepDeleted) * 24 * 3600 * 1000
    let blobs = try StartFailure.naming("\(folder)/files") { try FolderBlobStore(folder: $0) }
    let cloud = Cloud(
      storage: storage, blobs: blobs, policy: policy, clock: SystemClock(), grace: grace,
      acceptsRestores: acceptRestores, fileRules: files,
      names: ServerNames(names, takesLoopback: ServerNames.isLoopback(host)), onFault: { logger.error("\($0.words)") })
    try StartFailure.naming("\(folder)/files") { _ in try cloud.removeLeftovers() }
    let wait = Int64(restoreWait) * 24 * 3600 * 1000
    let waitEnd = try StartFailure.naming(folder, { _ in try cloud.awaitOwners(for: wait) })
    let name = host.contains(":") ? "[\(host)]" : host
    var limits = HTTPLimits()
    limits.threads = threads
    limits.connectionsOfAddress = connectionsOfAddress
    limits.proxies = proxies
    try await CloudHTTPServer(cloud: cloud, host: host, port: port, limits: limits, quiet: quiet)
      .run(signals: true) { port in
        onListening("http://\(name):\(port)")
        if let waitEnd { logger.notice("lists wait for their owners until \(HTTPDate.text(waitEnd))") }
      }
  }

  /// Whether people elsewhere are to reach it: whoever only tries it out on one machine needs no token.
  private var isForOthers: Bool { !ServerNames.isLoopback(host) || !names.allSatisfy { ServerNames.isLoopback($0) } }

  func policy() throws(StartFailure) -> SignUpPolicy {
    switch signUp {
    case nil: return .local(try SignUpToken(in: folder).bytes)
    case .open: return .open
    case .closed: return .closed
    case .token:
      guard let tokenFile else { throw .tokenFileMissing }
      guard let token = try SignUpToken.read(tokenFile) else { throw .tokenFileUnusable(tokenFile) }
      return .token(SecretBytes(Array(token.utf8)))
    }
  }
}

extension StorageFailure {
  /// For the log.
  fileprivate var words: String {
    switch self {
    case .full: "storage is full"
    case .damaged: "storage is damaged"
    case .disk(let code): "the disk failed with the system's code \(code)"
    case .broken(let code): "storage failed with SQLite's code \(code)"
    }
  }
}
