public import CloudAPI
import SwiftProtobuf
import Synchronization

/// The server: takes a request, answers it. Synchronous, and knows neither sockets nor HTTP.
public final class Cloud: Sendable {
  let storage: any CloudStorage
  let blobs: any BlobStore
  let policy: SignUpPolicy
  let clock: any WallClock
  let memory = Memory()
  let nonces = NonceWindow()
  let desk = LoginDesk()
  let allowance = EntryAllowance()
  let signUps = SignUpAllowance()
  let names: ServerNames
  let restorations = RestoreDesk()
  let hub: BranchHub
  /// How long the contents of a closed branch are kept, in milliseconds.
  let grace: Int64
  /// Whether lines are taken back that this server lost: members vouch for them, so its owner says when.
  let acceptsRestores: Bool
  /// Until when branches wait for their owners after a restore, in milliseconds since 1970.
  let waitEnd = Mutex<Int64>(0)
  let fileRules: FileRules
  /// When it is looked next for what has expired.
  let burnt = Mutex<Int64>(0)
  /// When it is looked next for files that nothing lists.
  let collected = Mutex<Int64>(0)
  /// When it is looked next for closed branches whose contents have been kept for long enough.
  let swept = Mutex<Int64>(0)
  private let onFault: @Sendable (StorageFailure) -> Void

  /// `blobs` has the bytes of files, `grace` is in milliseconds; `hub` passes on what was written; `names` are those of the server; `onFault` hears of what went wrong inside, which no answer tells.
  public init(
    storage: any CloudStorage, blobs: any BlobStore, policy: SignUpPolicy, clock: any WallClock,
    hub: BranchHub = BranchHub(), grace: Int64 = Limits.closedLife, acceptsRestores: Bool = false,
    fileRules: FileRules = FileRules(), names: ServerNames = .any,
    onFault: @escaping @Sendable (StorageFailure) -> Void = { _ in }
  ) {
    self.storage = storage
    self.blobs = blobs
    self.policy = policy
    self.clock = clock
    self.hub = hub
    self.grace = grace
    self.acceptsRestores = acceptsRestores
    self.fileRules = fileRules
    self.names = names
    self.onFault = onFault
  }

  /// Answers one request that is in memory, and with bytes in memory. Total: whatever the bytes are, there is an answer.
  public func handle(_ request: CloudRequest) -> CloudResponse {
    switch Route(method: request.method, path: request.path) {
    case .filePart:
      let arrival = receive(request)
      arrival.take(request.body)
      return arrival.finish()
    case .content:
      let answer = open(request)
      guard let file = answer.file else { return answer.response }
      return answering { try file.whole(answer.response) }
    default: return answering { try self.answer(request) }
    }
  }

  /// Makes an answer of whatever goes wrong.
  func answering(_ body: () throws -> CloudResponse) -> CloudResponse {
    do {
      return stamped(try body())
    } catch let problem as Problem {
      return self.response(to: problem)
    } catch let refusal as Refusal {
      return self.response(to: Problem(refusal))
    } catch is WorkExceeded {
      return self.response(to: Problem(.tooMany))
    } catch StorageFailure.full {
      return self.response(to: Problem(.diskFull))
    } catch {
      report(error)
      return self.response(to: Problem(.internal))
    }
  }

  func report(_ error: any Error) { onFault(error as? StorageFailure ?? .damaged) }

  private func answer(_ request: CloudRequest) throws -> CloudResponse {
    guard request.body.count <= Limits.bodyBytes else { throw Problem.tooLong }
    guard let route = Route(method: request.method, path: request.path), route.hasQuery || request.query.isEmpty else {
      throw Refusal.notFound
    }
    if route != .health {
      try checkProtocol(request)
      burnExpired()
    }
    return switch route {
    case .health: CloudResponse(status: 200, headers: ["content-type": "text/plain"], body: Array("ok".utf8))
    case .accounts: try signUp(request)
    case .handle(let handle): try lookUp(handle, request)
    case .keyrings: try keyrings(request)
    case .keyringAppend: try appendToKeyring(request)
    case .logins: try startLogin(request)
    case .loginPoll: try pollLogin(request)
    case .openLogins: try openLogins(request)
    case .loginAnswer: try answerLogin(request)
    case .heads: try heads(request)
    case .pull: try pull(request)
    case .newest: try newest(request)
    case .permissions: try permissions(request)
    case .restore: try restore(request)
    case .batch: try batch(request)
    case .leaves(let branch, let content): try leaves(of: content, in: branch, request)
    case .upload(let content): try upload(content, request)
    case .abandonedUpload(let content): try abandonUpload(content, request)
    // What does not end is no answer: `listen` opens it. What may be long goes by `open` and `receive`.
    case .events, .content, .filePart: throw Refusal.notFound
    }
  }

  /// Refuses a request in other words than ours, or for another server.
  func checkProtocol(_ request: CloudRequest) throws(Refusal) {
    guard names.admit(request.authority) else { throw .otherServer }
    guard let version = request.headers["todo-protocol"].flatMap({ Int($0) }) else { throw .malformed }
    guard version >= protocolVersion else { throw .clientTooOld }
    guard version == protocolVersion else { throw .malformed }
  }

  /// An answer that carries a message.
  func answer(_ message: some SwiftProtobuf.Message, status: Int = 200) -> CloudResponse {
    CloudResponse(status: status, headers: ["content-type": "application/protobuf"], body: encode(message))
  }

  /// The answer to a request that never became one: cut off, or too long.
  func response(to problem: Problem) -> CloudResponse {
    stamped(answer(WireProblem.with { $0.reason = problem.reason.rawValue }, status: problem.status))
  }

  private func stamped(_ response: CloudResponse) -> CloudResponse {
    var response = response
    response.headers["todo-protocol"] = String(protocolVersion)
    response.headers["date"] = HTTPDate.text(clock.now())
    return response
  }
}
