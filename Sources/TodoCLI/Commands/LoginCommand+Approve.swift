import CloudAPI
import Sharing
import Treesystem

extension Session {
  /// Between two looks at whether another device has answered, in milliseconds.
  private static let pause: Int64 = 1000

  /// Signs in by approval from another device. On a terminal it waits; elsewhere it does what can be done now, and is run again.
  func logInByApproval(_ handle: String, server: String, as device: String) async throws {
    let cloud = try cloud(at: server).session
    // Nobody can have compared a code that was never shown.
    let wasAsked = try read { try $0.hasLoginCode() }
    var step = try await withNewCloud(at: server) {
      try await $0.askToLogIn(handle: handle, server: server, name: device)
    }
    if voice.isConversation { step = try await wait(from: step, cloud) }
    switch step {
    case .asked:
      throw Complaint(
        "not_answered", .tryAgain, "none of your devices has answered yet",
        hint:
          "on one of them: todo devices, which answers; then run the same here once more for a code to approve there")
    case .comparing(let code):
      try voice.tell(LoginCodePage(code: code))
      throw Complaint(
        "not_approved", .tryAgain, "not approved yet",
        hint: "on your other device: todo devices approve \(code); then run the same here once more")
    case .added(let code):
      try confirm(code, wasAsked: wasAsked)
      try await withNewCloud(at: server) { try await $0.finishLogIn(server: server) }
    }
  }

  private func wait(from step: LoginStep, _ cloud: CloudSession) async throws -> LoginStep {
    var step = step
    if step == .asked {
      voice.note("on another of your devices: todo devices approve")
      step = try await poll(cloud, "waiting for another of your devices") { $0 == .asked }
    }
    guard case .comparing(let code) = step else { return step }
    voice.note("this device shows \(code): type it on the other")
    return try await poll(cloud, "waiting for the other device") { $0 == .comparing(code) }
  }

  private func poll(
    _ cloud: CloudSession, _ doing: String, while isEarly: (LoginStep) -> Bool
  ) async throws -> LoginStep {
    try await ProgressLine(voice, doing).shown {
      while true {
        try await database.clock.sleep(Self.pause)
        // A network that fails for a moment is no reason to begin anew.
        guard let step = try await stepIfReachable(cloud) else { continue }
        if !isEarly(step) { return step }
      }
    }
  }

  private func stepIfReachable(_ cloud: CloudSession) async throws -> LoginStep? {
    do {
      return try await cloud.loginStep()
    } catch CloudFailure.unreachable {
      return nil
    }
  }

  /// A server could play the other device: only the user knows whether theirs has said so.
  private func confirm(_ code: LoginCode, wasAsked: Bool) throws {
    if options.yes, wasAsked { return }
    guard voice.isConversation else {
      throw Complaint.usage(
        "only you can tell whether your other device took \(code), and said that it added this one",
        hint: "if it did, run the same once more with --yes; if not, end there what is not yours: todo devices")
    }
    guard voice.agrees("did your other device take \(code), and say that it added this one?") else {
      try database.write { try $0.forgetLoginRequest() }
      throw Complaint(
        "not_confirmed", .notVerified, "not signed in: nobody knows who has answered",
        hint: "look at 'todo devices' on your other device, and end there what is not yours")
    }
  }
}

/// What a new device shows.
struct LoginCodePage: Page {
  let code: LoginCode

  func lines(_ style: Style) -> [String] { ["this device shows \(style.heading(code.description))"] }

  var members: [JSON.Member] { [.init(key: "code", value: .string(code.description))] }
}
