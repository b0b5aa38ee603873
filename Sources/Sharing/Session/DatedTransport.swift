import CloudAPI
import Synchronization
import Treesystem

/// A way to a server that remembers how far this machine's clock is from the server's before the answer that says so is
/// read: whether an offer in it is over depends on that.
final class DatedTransport: CloudTransport, CloudStreaming {
  /// Differences that are as good as the same, in milliseconds.
  private static let tolerance: Int64 = 60_000

  private let transport: any CloudTransport & CloudStreaming
  private let database: CloudDatabase
  /// Whether nothing is remembered because the clocks are not far apart, as far as this session knows.
  private let isNear = Mutex(false)

  init(_ transport: any CloudTransport & CloudStreaming, _ database: CloudDatabase) {
    self.transport = transport
    self.database = database
  }

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    let response = try await transport.send(request)
    note(response.headers)
    return response
  }

  func stream(_ request: CloudRequest) async throws -> CloudStream {
    let stream = try await transport.stream(request)
    note(stream.headers)
    return stream
  }

  private func note(_ headers: [String: String]) {
    if let theirs = headers["date"].flatMap({ HTTPDate.milliseconds($0) }) { note(theirs) }
  }

  /// That it cannot be stored is no reason to fail for anything: what cannot be stored after it says so itself.
  private func note(_ theirs: Int64) {
    let (ahead, overflow) = database.clock.now().subtractingReportingOverflow(theirs)
    if overflow { return }
    let isFar = CloudTransaction.isFarApart(ahead)
    if !isFar, isNear.withLock({ $0 }) { return }
    do {
      let known = try database.read { try $0.clockAhead() }
      if isFar ? !isClose(known, to: ahead) : known != nil {
        try database.write { try $0.note(clockAhead: ahead) }
      }
      isNear.withLock { $0 = !isFar }
    } catch {
      isNear.withLock { $0 = false }
    }
  }

  private func isClose(_ known: Int64?, to ahead: Int64) -> Bool {
    guard let known else { return false }
    let (difference, overflow) = known.subtractingReportingOverflow(ahead)
    return !overflow && difference.magnitude < Self.tolerance.magnitude
  }
}
