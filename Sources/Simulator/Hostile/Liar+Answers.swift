import CloudAPI
import Foundation
import Lies
import Signing
import SwiftProtobuf
import Treesystem

extension Liar {
  func lieAboutHeads(_ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    guard var heads = try? decode(WireHeads.self, response.body), !heads.branches.isEmpty else { return nil }
    let index = dice.roll(heads.branches.count)
    guard let branch = CloudID(bytes: heads.branches[index].branch) else { return nil }
    switch dice.roll(6) {
    case 0:
      heads.branches.remove(at: index)
      return tell("head withheld", [], to: device, about: branch, heads, in: response)
    case 1:
      guard let lie = dice.pick(HeadsLie.all) else { return nil }
      lie.change(&heads, entropy)
      return tell(lie.name, lie.end.complaints, to: device, heads, in: response)
    default:
      guard let lie = dice.pick(HeadLie.all) else { return nil }
      let before = heads
      lie.change(&heads.branches[index])
      guard heads != before else { return nil }
      // Where nothing is known of the branch yet, its first page is the first to be compared.
      let later: Set<Complaint> = [.stops(.chainBroken), .stops(.fork)]
      return tell(lie.name, lie.end.complaints.union(later), to: device, about: branch, heads, in: response)
    }
  }

  func lieAboutKeyrings(_ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    guard var keyrings = try? decode(WireKeyrings.self, response.body) else { return nil }
    let fresh = keyrings.keyrings.indices.filter { !keyrings.keyrings[$0].entries.isEmpty }
    guard let index = dice.pick(fresh), let lie = dice.pick(KeyringLie.all) else { return nil }
    let before = keyrings
    lie.change(&keyrings.keyrings[index].entries, entropy)
    guard keyrings != before else { return nil }
    // Of whom there is nothing, the words are nobody's.
    let isEmpty = keyrings.keyrings[index].entries.isEmpty
    return tell(
      lie.name, isEmpty ? Self.ofKeyrings.union([Self.unknownWords]) : Self.ofKeyrings, to: device, keyrings,
      in: response)
  }

  static let unknownWords = Complaint.ends("\(LogInFailure.unknownWords)")

  /// Who is not known for whom they are cannot be believed, be it in a row, in a record of permissions, or at signing in.
  private static let ofKeyrings = KeyringLie.end.complaints.union([
    .setsAside(.deviceUnknown), .stops(.keyringStale), .stops(.pinWrong), .stops(.deviceUnknown),
    .refuses(.chainBroken), .refuses(.signatureBad), .refuses(.suiteUnknown), .refuses(.trunksMissing),
    .refuses(.malformed), .refuses(.rootMismatch), .refuses(.userMismatch), .refuses(.keyringStale),
    .refuses(.deviceUnknown), .keepsChange(.keyringStale), .ends("\(CloudFailure.nonsense)"),
  ])

  func lieAboutOutcomes(_ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    guard var outcomes = try? decode(WireOutcomes.self, response.body), !outcomes.outcomes.isEmpty else { return nil }
    if dice.chance(100) {
      OutcomeLie.addOne(to: &outcomes)
      return tell(
        "one outcome too many", [.ends("\(CloudFailure.nonsense)")], to: device, outcomes, in: response)
    }
    guard let lie = dice.pick(OutcomeLie.all) else { return nil }
    let index = dice.roll(outcomes.outcomes.count)
    let honest = outcomes.outcomes[index]
    lie.change(&outcomes.outcomes[index])
    guard outcomes.outcomes[index] != honest else { return nil }
    // A line that was told for a change and is not there is a line that was dropped.
    var reasons = lie.end.complaints.union([.stops(.fork)])
    // What is said to be accepted comes with a hash, which what was refused does not have.
    if case .accepted = honest.result {} else { reasons.insert(.ends("\(CloudFailure.nonsense)")) }
    return tell(lie.name, reasons, to: device, outcomes, in: response)
  }

  /// Refuses somebody who owns a list to take a key away, which an owner always may: the real server never sees it.
  func refusal(of request: CloudRequest, _ process: SimProcess) -> CloudResponse? {
    guard request.path == Route.batch.path, let batch = try? decode(WireBatch.self, request.body) else { return nil }
    let sent = Set(batch.operations.map { Array($0.operation) })
    let meant = try? process.database.read { transaction -> (QueuedOperation, CloudID)? in
      let me = try transaction.account()?.user
      for operation in try transaction.operations()
      where operation.takesAway && sent.contains(operation.operation.bytes) {
        guard let body = try transaction.permissions(of: operation.branch)?.body, body.owner == me, !body.isClosed
        else { continue }
        return (operation, body.branch)
      }
      return nil
    }
    guard let (operation, branch) = meant,
      let lie = dice.pick(RefusalLie.all.filter { $0.target == operation.target }),
      let outcomes = lie.answer(to: request)
    else { return nil }
    note(lie.name, lie.end.complaints, to: process.device, about: branch)
    return .told(outcomes, at: world.executor.now)
  }

  func lieAboutInbox(_ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    guard var history = try? decode(WirePermissionsHistory.self, response.body), let lie = dice.pick(InboxLie.all),
      let branch = CloudID(bytes: history.branch), (try? lie.change(&history, entropy)) != nil
    else { return nil }
    return tell(lie.name, lie.end.complaints, to: device, about: branch, history, in: response)
  }

  /// Somebody's keyring in the place of another's, or one that is not what it was.
  func lieAboutPerson(_ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    guard let keyring = try? decode(WireKeyring.self, response.body), !keyring.entries.isEmpty else { return nil }
    defer { if !people.contains(where: { $0.user == keyring.user }) { people.append(keyring) } }
    if dice.chance(400) {
      guard let other = dice.pick(people.filter { $0.user != keyring.user }) else { return nil }
      return tell("handle given to somebody else", [.refuses(.userMismatch)], to: device, other, in: response)
    }
    guard let lie = dice.pick(KeyringLie.all) else { return nil }
    var told = keyring
    lie.change(&told.entries, entropy)
    guard told != keyring else { return nil }
    return tell("\(lie.name) at the first contact", Self.ofKeyrings, to: device, told, in: response)
  }

  func lieAboutContent(_ response: CloudResponse, _ device: SimDevice) -> CloudResponse? {
    var told = response
    if dice.chance(500) { told.body = [0] } else if !told.body.isEmpty { told.body[told.body.count / 2] ^= 1 }
    note("content fetched and changed", [.setsAside(.contentMismatch), .setsAside(.contentMissing)], to: device)
    return told
  }
}

extension QueuedOperation {
  fileprivate var target: RefusalLie.Target { closes ? .closing : isRenewal ? .renewal : .removal }
}
