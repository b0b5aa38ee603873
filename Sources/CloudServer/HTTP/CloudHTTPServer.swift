import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle
import UnixSignals

/// Serves a cloud over HTTP/1.1 until it is told to stop. Encryption of the connection is a proxy's.
public struct CloudHTTPServer: Sendable {
  private let cloud: Cloud
  private let host: String
  private let port: Int
  private let limits: HTTPLimits
  private let logger: Logger

  /// Port 0 picks a free one.
  public init(cloud: Cloud, host: String, port: Int, limits: HTTPLimits = HTTPLimits(), quiet: Bool = false) {
    self.cloud = cloud
    self.host = host
    self.port = port
    self.limits = limits
    logger = CloudHTTPServer.logger(quiet: quiet)
  }

  /// A log on standard error; quiet means faults only.
  static func logger(quiet: Bool) -> Logger {
    var logger = Logger(label: "todo-server") { StreamLogHandler.standardError(label: $0) }
    logger.logLevel = quiet ? .error : .info
    return logger
  }

  /// Listens, tells the port once it does, and returns after the task was cancelled or, where `signals` says so, after
  /// SIGTERM or SIGINT. Either way it takes no new connections then, and finishes the answers that are under way.
  public func run(signals: Bool = false, onListening: @escaping @Sendable (Int) async -> Void) async throws {
    let threads = NIOThreadPool(numberOfThreads: limits.threads)
    threads.start()
    do {
      try await run(on: threads, signals: signals, onListening)
    } catch {
      try await threads.shutdownGracefully()
      throw error is CancellationError ? error : StartFailure.addressUnusable("\(host):\(port)")
    }
    try await threads.shutdownGracefully()
  }

  private func run(
    on threads: NIOThreadPool, signals: Bool, _ onListening: @escaping @Sendable (Int) async -> Void
  ) async throws {
    // The library's own words could name what a request names; ours are in the responder.
    var quiet = logger
    quiet.logLevel = .critical
    let application = Application(
      responder: CloudResponder(cloud: cloud, threads: threads, limits: limits, logger: logger),
      server: .http1(configuration: channelConfiguration),
      configuration: ApplicationConfiguration(
        address: .hostname(host, port: port),
        availableConnectionsDelegate: MaximumAvailableConnections(limits.connections)),
      onServerRunning: { await onListening($0.localAddress?.port ?? 0) },
      logger: quiet)
    let services = ServiceGroup(
      configuration: .init(
        services: [application], gracefulShutdownSignals: signals ? [.sigterm, .sigint] : [], logger: quiet))
    // NIO ends the process where a server's own task is cancelled while it accepts a connection. So it never is.
    let running = Task { try await services.run() }
    try await withTaskCancellationHandler {
      try await running.value
    } onCancel: {
      Task { await services.triggerGracefulShutdown() }
    }
  }

  private var channelConfiguration: HTTP1Channel.Configuration {
    // Ours answers first, with a reason; these only bound memory.
    let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
      maxHeaderFieldSize: 20 * 1024, maxHeaderListSize: 20 * 1024, maxHeaderFieldCount: 64)
    let places = ConnectionPlaces(limits)
    return HTTP1Channel.Configuration(
      additionalChannelHandlers: [
        ConnectionWatch(limits: limits, places: places, answer: { cloud.response(to: $0) })
      ],
      httpDecoderConfiguration: decoder)
  }
}
