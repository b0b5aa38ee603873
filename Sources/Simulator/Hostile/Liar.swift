import CloudAPI
import CloudServer
import Lies
import Signing
import SwiftProtobuf

/// Stands between the devices and the real server, and lies: at random moments, to whom it likes, with all that a server can do
/// that has nobody's keys.
final class Liar: @unchecked Sendable {
  unowned let world: World
  let ledger = Ledger()
  let honesty = Honesty()
  let entropy: DiceEntropy
  var dice: Dice
  /// How many of a thousand answers are lies just now.
  private(set) var mood = 0
  /// Records that passed, by branch: an older one may be told again.
  private var seen: [CloudID: [Told]] = [:]
  /// Keyrings that were looked up.
  var people: [WireKeyring] = []
  /// Another server, as the real one was some time ago, and whom it is shown to.
  private var twin: SimServer?
  private var twinned: Set<String> = []

  /// So many records are kept of each branch.
  private static let memory = 24

  init(_ world: World) {
    self.world = world
    dice = Dice(world.seed ^ 0x11A2)
    entropy = DiceEntropy(world.seed ^ 0x11A3)
  }

  /// Goes from one mood to another until the world is healed.
  func live(while busy: @escaping @Sendable () -> Bool) async {
    while busy() {
      mood = dice.pick([0, 50, 150, 300, 450]) ?? 0
      if dice.chance(120) { showAnotherServer() }
      await world.executor.sleep(Int64(3_000 + dice.roll(15_000)))
      closeOtherServer()
    }
    turnHonest()
  }

  func turnHonest() {
    mood = 0
    closeOtherServer()
  }

  /// One device is shown a server of its own, which goes on from where the real one is.
  private func showAnotherServer() {
    guard twin == nil, world.server.isUp, let device = dice.pick(world.devices) else { return }
    let machine = Machine("twin", files: world.server.machine.backup(), isProfile: false, seed: world.seed ^ 0x5E5)
    let other = SimServer(machine, disks: world.disks, clock: world.server.clock)
    other.start()
    guard other.isUp else { return }
    (twin, twinned) = (other, [device.name])
    ledger.lead(astray: device.name)
    world.log("liar", "shows \(device.name) another server")
  }

  private func closeOtherServer() {
    twin?.stop()
    (twin, twinned) = (nil, [])
  }

  /// The answer of the server that a device is shown.
  func answer(_ request: CloudRequest, of device: SimDevice, _ process: SimProcess?) -> CloudResponse? {
    if mood > 0, dice.chance(mood), let process, let refusal = refusal(of: request, process) { return refusal }
    guard let twin, twinned.contains(device.name), request.path != Route.keyringAppend.path else {
      return world.server.handle(request)
    }
    return twin.handle(request)
  }

  /// What a device sends is what its owner has signed.
  func hear(_ request: CloudRequest, from device: SimDevice) {
    for record in honesty.sent(request) { world.log(device.name, "sends \(record)") }
  }

  /// What a device is told instead of an answer: mostly that answer.
  func tell(_ request: CloudRequest, _ response: CloudResponse, to device: SimDevice) -> CloudResponse {
    guard mood > 0, dice.chance(mood), let route = Route(method: request.method, path: request.path) else {
      remember(request, response)
      return response
    }
    guard response.status == 200, !dice.chance(60) else { return blunt(response, to: device) }
    let told: CloudResponse? =
      switch route {
      case .pull: lieAboutPage(request, response, device)
      case .heads: lieAboutHeads(response, device)
      case .keyrings: lieAboutKeyrings(response, device)
      case .batch: lieAboutOutcomes(response, device)
      case .permissions: lieAboutInbox(response, device)
      case .handle: lieAboutPerson(response, device)
      case .content: lieAboutContent(response, device)
      default: nil
      }
    remember(request, response)
    return told ?? response
  }

  /// Notes a lie, and tells it.
  func tell(
    _ name: String, _ complaints: Set<Complaint>, to device: SimDevice, about branch: CloudID? = nil,
    _ message: some SwiftProtobuf.Message, in response: CloudResponse
  ) -> CloudResponse {
    note(name, complaints, to: device, about: branch)
    return response.carrying(message)
  }

  func note(_ name: String, _ complaints: Set<Complaint>, to device: SimDevice, about branch: CloudID? = nil) {
    ledger.note(name, complaints, to: device.name, about: branch)
    world.log("liar", "to \(device.name): \(name)")
  }

  private func blunt(_ response: CloudResponse, to device: SimDevice) -> CloudResponse {
    guard let lie = dice.pick(AnswerLie.all) else { return response }
    var told = response
    lie.change(&told, now: world.executor.now)
    // What is asked about one branch troubles that branch, and what is refused about contents is asked again some time.
    var reasons: Set<Complaint> = [.stops(.clockSkew), .stops(.internal), .ends("\(CloudFailure.nonsense)")]
    if lie.end.complaint == .stops(.notFound) { reasons.insert(Self.unknownWords) }
    note(lie.name, lie.end.complaints.union(reasons), to: device)
    return told
  }

  /// Keeps what passes.
  private func remember(_ request: CloudRequest, _ response: CloudResponse) {
    guard request.path == Route.pull.path, response.status == 200, let page = try? decode(WirePage.self, response.body),
      let retelling = try? Retelling(page, after: LogHead(startOf: CloudID(exactly: Array(page.branch))))
    else { return }
    let fresh = retelling.told.filter { $0.record != nil }
    seen[retelling.branch] = Array(((seen[retelling.branch] ?? []) + fresh).suffix(Self.memory))
  }

  /// A record that passed some time ago, of this branch or of another.
  func older(of branch: CloudID, kind: Line.Kind) -> Told? {
    dice.pick((seen[branch] ?? []).filter { $0.kind == kind })
  }

  func foreign(to branch: CloudID, kind: Line.Kind) -> Told? {
    let others = seen.filter { $0.key != branch }.sorted { $0.key < $1.key }.flatMap(\.value)
    return dice.pick(others.filter { $0.kind == kind && $0.record != nil })
  }
}
