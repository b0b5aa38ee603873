import CloudAPI
import Signing
import Synchronization

/// A new device's wish to be added to an account, as the server carries it (spec §2.6).
struct Login: Sendable {
  let id: LoginID
  let user: UserID
  let commitment: Hash32
  let origin: String
  /// Milliseconds since 1970.
  let asked: Int64
  var answer: Answer?
  var opening: [UInt8] = []
  var verdict: Verdict?

  struct Answer: Equatable, Sendable {
    let device: DeviceID
    let nonce: [UInt8]
  }

  enum Verdict: Equatable, Sendable {
    case denied
    /// With the user keys, sealed to the new device.
    case added([UInt8])
  }
}

/// The logins that wait for approval. They are in memory only: none outlives ten minutes, nor the server; then the new device asks again.
final class LoginDesk: Sendable {
  private struct State {
    var logins: [LoginID: Login] = [:]

    /// Those that nobody has decided about.
    var open: [Login] { logins.values.filter { $0.verdict == nil } }

    /// Whoever was denied does not ask the same account again and again.
    func denied(by user: UserID, from origin: String) -> Int {
      logins.values.count { $0.verdict == .denied && $0.user == user && $0.origin == origin }
    }

    mutating func forget(before time: Int64) { logins = logins.filter { $0.value.asked > time } }

    /// Forgets the oldest that is over. Whoever has not heard how it ended finds themselves in the account, or asks again.
    mutating func makeRoom() {
      guard logins.count >= 2 * ServerLimits.logins else { return }
      let over = logins.values.filter { $0.verdict != nil }.min { ($0.asked, $0.id) < ($1.asked, $1.id) }
      if let over { logins[over.id] = nil }
    }
  }

  private let state = Mutex(State())

  /// Takes a wish; the very same once more is the same wish.
  func start(
    _ id: LoginID, for user: UserID, _ commitment: Hash32, from origin: String, now: Int64
  ) throws(Refusal) -> Login {
    let result = state.withLock { state -> Result<Login, Refusal> in
      state.forget(before: now - Limits.loginLife)
      if let known = state.logins[id] {
        return known.user == user && known.commitment == commitment ? .success(known) : .failure(.malformed)
      }
      let open = state.open
      guard open.count < ServerLimits.logins, open.count(where: { $0.user == user }) < ServerLimits.loginsOfUser,
        open.count(where: { $0.origin == origin }) + state.denied(by: user, from: origin) < ServerLimits.loginsOfOrigin
      else { return .failure(.tooMany) }
      state.makeRoom()
      let login = Login(id: id, user: user, commitment: commitment, origin: origin, asked: now)
      state.logins[id] = login
      return .success(login)
    }
    return try result.get()
  }

  /// Changes a login that has not ended; throws `notFound` where it has.
  func change(_ id: LoginID, now: Int64, _ body: (inout Login) -> Void) throws(Refusal) -> Login {
    let login = state.withLock { state -> Login? in
      state.forget(before: now - Limits.loginLife)
      guard var login = state.logins[id] else { return nil }
      body(&login)
      state.logins[id] = login
      return login
    }
    guard let login else { throw .notFound }
    return login
  }

  /// Those of a user that nobody has decided about, in the order in which they came.
  func open(of user: UserID, now: Int64) -> [Login] {
    state.withLock { state in
      state.forget(before: now - Limits.loginLife)
      return state.open.filter { $0.user == user }
        .sorted { ($0.asked, $0.id) < ($1.asked, $1.id) }
    }
  }
}
