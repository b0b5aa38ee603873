import CloudAPI
import CloudClient
import Sharing
import Treesystem

extension Session {
  /// How far this machine's clock may be from the server's, in milliseconds.
  private static let clockTolerance: Int64 = 60_000

  /// Reads the account's own devices again, so that one that has ended says so. What cannot be asked is not told here. Returns what is to be
  /// said where the server has never heard of this device.
  func askAboutAccount() async -> Complaint? {
    if options.sync == false { return nil }
    do {
      try await withCloud { try await $0.askAboutAccount() }
    } catch CloudFailure.refused(.deviceUnknown) {
      return Complaint(CloudFailure.refused(.deviceUnknown) as any Error)
    } catch {
      return nil
    }
    return nil
  }

  /// Whether the server answers, in words that this program knows, and at what time.
  func checkServer() async throws -> [Check] {
    let server = try requireAccount().server
    let (authority, answers) = (try address(of: server).authority, try cloud(at: server).answers)
    do {
      let before = database.clock.now()
      let request = CloudRequest(method: Route.health.method, authority: authority, path: Route.health.path)
      let response = try await ProgressLine(voice, "asking the server") { answers.silence }
        .shown { try await answers.send(request) }
      let now = (before + database.clock.now()) / 2
      let version = response.headers["todo-protocol"].flatMap { Int($0) }
      let theirs = response.headers["date"].flatMap { HTTPDate.milliseconds($0) }
      return [serverCheck(server, response.status, version), theirs.map { clockCheck(now - $0) }].compactMap { $0 }
    } catch let failure as CloudFailure {
      let complaint = Complaint(failure as any Error)
      return [Check("server", "\(server): \(complaint.message)", .init(exit: complaint.exit, advice: [complaint.hint]))]
    }
  }

  private func serverCheck(_ server: String, _ status: Int, _ version: Int?) -> Check {
    guard status == 200, let version else {
      let complaint = Complaint(CloudFailure.nonsense as any Error)
      return Check("server", "\(server): \(complaint.message)", .init(exit: complaint.exit, advice: [complaint.hint]))
    }
    guard version <= protocolVersion else {
      return Check("server", "\(server) needs a newer todo", .init(exit: .unreachable, advice: ["update todo"]))
    }
    return Check("server", "\(server) answers")
  }

  private func clockCheck(_ difference: Int64) -> Check {
    guard difference.magnitude > Self.clockTolerance else { return Check("clock", "right") }
    return Check(
      "clock", ClockDifference(ahead: difference).words, .init(exit: .tryAgain, advice: [ClockDifference.advice]))
  }
}
