import ArgumentParser
import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo logout`
struct LogoutCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logout",
    abstract: "Take your account and its lists off this device.",
    usage: "todo logout [--keep-lists]",
    discussion: """
      This device is none of your account's any more: another login makes a new one. Where the server cannot be reached, \
      it stays one until you end it with 'todo devices revoke' on another.

      With --keep-lists your lists stay here as they are, on this device only, as before you signed up, and with new ids: \
      nothing says what they were copied from. They stay on the server and on your other devices, and pictures that are not on this device only there. Refuses while something would be lost \
      or was never sent, or the recovery words were never checked; --yes goes on.

      Example:
        todo sync && todo logout
      """)

  @OptionGroup var options: GlobalOptions

  @Flag(help: "Keep the lists on this device, without the account.")
  var keepLists = false

  func run() async throws {
    let session = try Session.open(options)
    guard let account = try session.read({ try $0.account() }) else { throw Complaint.signedOutAlready }
    let (cloud, answers) = try session.cloud(at: account.server)
    let back = try session.read { try $0.namedComebacks() }
    let line = ProgressLine(session.voice, "signing out") { answers.silence }
    let page = try await line.shown {
      // A sync that is under way comes to its end first, so that nothing it brings meets a profile without its account.
      try await session.database.whileNothingSyncs(waiting: 60_000) {
        try session.read { try requireNothingToLose($0) }
        let failure = try await session.endThisDevice(cloud)
        let isUnknown = failure?.isUnknown == true
        // What somebody adds meanwhile stays as well.
        return try session.change(isAction: false) { transaction in
          try requireNothingToLose(transaction, isUnknown: isUnknown)
          let page = try LogoutPage(account: account, failure: isUnknown ? nil : failure, transaction)
          if keepLists { try transaction.keepLists() } else { try transaction.logOut() }
          return page
        }
      }
    }
    try session.voice.tell(page)
    for comeback in back {
      session.voice.note(
        harmless(
          "\(comeback.list): \(comeback.warning); sign in again here, and what you may take back of that is taken back")
      )
    }
  }

  /// Names all of it at once: whoever says --yes has read what it costs.
  /// - Parameter isUnknown: whether the server has never heard of this device.
  private func requireNothingToLose(_ transaction: CloudTransaction, isUnknown: Bool = false) throws {
    if options.yes { return }
    let end = try transaction.accountEnd()
    // An account that is no more takes nothing any more.
    var losses: [Loss?] = []
    if end?.isDeletion != true { losses.append(try transaction.lossOfWords()) }
    if end == nil { losses += [try transaction.lossOfInvitations(), try transaction.lossOfCodes()] }
    if keepLists {
      losses.append(try transaction.lossOfImages(end))
    } else {
      losses.append(try transaction.unsentLoss(end))
      losses.append(isUnknown ? .ofWhatNobodyKnows : try transaction.lossOfLastCopy(end))
    }
    if try end == nil && transaction.isLastWithoutWords() {
      losses.append(
        Loss(
          Complaint(
            "last_device", .usage, "no other device of yours is left: only your recovery words let you in again",
            hint: "see that you have them"), orElse: ", then add --yes"))
    }
    if let complaint = Loss.all(losses.compactMap { $0 }) { throw complaint }
  }
}

extension Complaint {
  fileprivate static let signedOutAlready = Complaint(
    "not_signed_up", .notSignedUp, "no account is on this device",
    hint: "there is nothing to sign out of; your lists are here as they are")
}

/// Something that would be gone with the account, and what to do first.
private struct Loss {
  let complaint: Complaint
  /// How the hint ends where this is all that would be gone.
  let orElse: String

  init(_ complaint: Complaint, orElse: String) {
    self.complaint = complaint
    self.orElse = orElse
  }

  /// A server that was put back to a backup has nothing that came after it.
  static let ofWhatNobodyKnows = Loss(
    Complaint(
      "last_copy", .usage, "the server does not know this device any more: what is here may be nowhere else",
      hint:
        "if the server was put back to a backup, give it back what it lost: todo doctor --repair-server; keep what is here with --keep-lists"
    ), orElse: ", or add --yes to lose it")

  /// One refusal for all of them; nil where there are none.
  static func all(_ losses: [Loss]) -> Complaint? {
    guard let first = losses.first else { return nil }
    var complaint = first.complaint
    if losses.count == 1 {
      complaint.hint += first.orElse
      return complaint
    }
    complaint.message = losses.map(\.complaint.message).joined(separator: "; ")
    complaint.hint = losses.map(\.complaint.hint).joined(separator: "; ") + "; or add --yes to lose all of that"
    return complaint
  }
}

extension Session {
  /// Ends this device, where the server can be asked. Returns why it could not.
  fileprivate func endThisDevice(_ cloud: CloudSession) async throws -> LogoutPage.Failure? {
    if try read({ try $0.accountEnd() }) != nil { return nil }
    if options.sync == false { return .notAsked }
    do {
      try await cloud.endThisDevice()
      return nil
    } catch let failure as CloudFailure {
      return .cloud(failure)
    } catch let failure as DeviceFailure {
      return .device(failure)
    }
  }
}

extension CloudTransaction {
  /// Whether this is the only device left, and one that was let in by another: nobody has typed the words here.
  fileprivate func isLastWithoutWords() throws -> Bool {
    let active = try devices().filter { $0.ended == nil }
    return active.count == 1 && active.contains { $0.isThisOne && $0.addedBy != nil }
  }

  /// The recovery words, while they are on this device and were never checked.
  fileprivate func lossOfWords() throws -> Loss? {
    guard try requireAccount().holdsRoot else { return nil }
    return Loss(
      Complaint(
        "no_recovery", .usage,
        "your recovery words were never checked, and go from here: without them and another device this account is lost",
        hint: "run 'todo recovery' first, or, if you have them in a file: todo recovery --rehearse < <file>"),
      orElse: "; or add --yes")
  }

  /// What nobody reads any more that this device sent: others throw away what lies there of a device that has ended.
  fileprivate func lossOfInvitations() throws -> Loss? {
    let count = try lists().reduce(0) { try $0 + unansweredInvitations(to: $1.node) }
    if count == 0 { return nil }
    return Loss(
      Complaint(
        "unanswered", .usage,
        "\(counted(count, "invitation")) of this device \(count == 1 ? "was" : "were") not answered, and may go with it",
        hint: "'todo members' shows whose; share those lists again from another device of yours"),
      orElse: ", or add --yes")
  }

  /// The pictures that were never fetched: lists that are kept are kept without them.
  fileprivate func lossOfImages(_ end: AccountEnd?) throws -> Loss? {
    let count = try imagesElsewhere()
    if count == 0 { return nil }
    return Loss(
      Complaint(
        "images_elsewhere", .usage,
        "\(counted(count, "image")) \(count == 1 ? "is" : "are") not on this device, and would be gone from your lists here",
        hint: end == nil
          ? "'todo image save' fetches what you want to keep" : "nothing that this device may ask has them any more"),
      orElse: "; or add --yes to lose \(count == 1 ? "it" : "them")")
  }

  /// Codes are answered by the device that made them alone.
  fileprivate func lossOfCodes() throws -> Loss? {
    let count = try lists().reduce(0) { count, list in
      // Those for a list that has ended let nobody in as it is.
      if try end(of: list) != nil { return count }
      return try count + (cloudID(of: list.branch).map { try openCodes(for: $0).count } ?? 0)
    }
    if count == 0 { return nil }
    return Loss(
      Complaint(
        "open_codes", .usage, "\(counted(count, "code")) of this device would let nobody in any more",
        hint: "'todo members' shows for which list; make another on another device of yours: todo share <list> --code"),
      orElse: ", or add --yes")
  }

  /// What no server gives back: the lists of an account that is no more, and those that this user was taken off.
  fileprivate func lossOfLastCopy(_ end: AccountEnd?) throws -> Loss? {
    let all = try lists()
    if end?.isDeletion == true, !all.isEmpty {
      return Loss(
        Complaint(
          "last_copy", .usage,
          "the account is no more, and \(counted(all.count, "list")) would be gone from this device",
          hint: "'todo logout --keep-lists' keeps what is here"), orElse: "; or add --yes to lose it")
    }
    let ended = try endedLists()
    guard let first = ended.first else { return nil }
    let others = ended.count == 1 ? "" : " and \(ended.count - 1) more"
    return Loss(
      Complaint(
        "last_copy", .usage, "'\(first.name)'\(others) would be gone: nobody shares it with you any more",
        hint: "make it a list of your own with '\(first.keep)', keep all that is here with --keep-lists"),
      orElse: ", or add --yes")
  }

  fileprivate func unsentLoss(_ end: AccountEnd?) throws -> Loss? {
    let operations = try operations()
    if operations.isEmpty { return nil }
    let changes = counted(operations.count, "change")
    if end != nil {
      return Loss(
        Complaint(
          "unsent", .usage, "\(changes) on this device would be lost: it was ended, and sends nothing any more",
          hint: "'todo logout --keep-lists' keeps your lists with them, on this device only"),
        orElse: "; or add --yes to lose them")
    }
    let refused = operations.count { $0.state == .refused }
    // What is older than the last sync waits for what was refused: another sync would not send it either.
    let synced = try lastSync() ?? .min
    let waiting = operations.count { $0.state != .refused && (refused == 0 || $0.created > synced) }
    guard waiting == 0 else {
      return Loss(
        Complaint(
          "unsent", .tryAgain, "\(changes) on this device would be lost",
          hint: "run 'todo sync' first; or keep the lists here with --keep-lists"),
        orElse: ", or add --yes to lose the changes")
    }
    let others = operations.count == refused ? "" : ", \(operations.count - refused) more cannot be sent without that"
    return Loss(
      Complaint(
        "refused", .usage, "the server refused \(counted(refused, "change"))\(others)",
        hint: "'todo status' shows what; keep the lists here with --keep-lists"),
      orElse: ", or add --yes to lose the changes")
  }
}

/// That somebody has signed out.
struct LogoutPage: Page {
  /// Why the device is still one of the account's.
  enum Failure {
    /// `--no-sync` stood there.
    case notAsked
    case cloud(CloudFailure)
    case device(DeviceFailure)

    /// Whether the server has never heard of the device.
    var isUnknown: Bool { if case .cloud(.refused(.deviceUnknown)) = self { true } else { false } }

    fileprivate var words: String {
      switch self {
      case .notAsked: "the server was not told"
      case .cloud(let failure): Complaint(failure as any Error).message
      case .device(let failure): Complaint(failure as any Error).message
      }
    }
  }

  let handle: String
  let server: String
  let device: NamedDevice?
  /// The account's devices that are left.
  let others: Int
  /// Whether the account is no more.
  let isDeleted: Bool
  /// Nil where this device has ended.
  let failure: Failure?

  init(account: Account, failure: Failure?, _ transaction: CloudTransaction) throws {
    let devices = try transaction.namedDevices()
    handle = account.handle
    server = account.server
    device = devices.first { $0.device.isThisOne }
    others = devices.count { !$0.device.isThisOne && $0.device.ended == nil }
    isDeleted = try transaction.accountEnd()?.isDeletion == true
    self.failure = failure
  }

  func lines(_ style: Style) -> [String] {
    ["signed out \(harmless(handle))"] + (failure.map(remaining) ?? []).map { harmless($0) }
      + (others == 0 && !isDeleted
        ? ["none of your devices is left in the account: 'todo login' needs your recovery words"] : [])
  }

  private func remaining(_ failure: Failure) -> [String] {
    guard let device else { return [] }
    let place = others == 0 ? "once you have signed in again" : "on another of your devices"
    return [
      "\(failure.words), so this device still counts as one of yours: \(device.words)",
      "  → \(place): todo devices revoke \(device.shortID)",
    ]
  }

  var members: [JSON.Member] {
    [
      .init(key: "signed_out", value: .string(handle)),
      .init(key: "device", value: .text(device?.device.id.description)),
      .init(key: "device_ended", value: .bool(failure == nil)), .init(key: "devices_left", value: .int(Int64(others))),
    ]
  }
}
