import CloudAPI
import Foundation
import Lies
import Sharing
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// The people of a stage, alice's phone, and two more; and a server that lies to one of them.
final class Scene: @unchecked Sendable {
  typealias Act = @Sendable (Device) async throws -> SyncReport

  let stage: Stage
  let world: World
  let server = HostileServer()
  /// Whom the server lies to, by the name of their device.
  var victimName = "carol"
  /// What the victim does while the server lies.
  var act: Act = { try await $0.sync() }
  /// What people do before the last look, so that what is to mend mends.
  var mend: (@Sendable (Scene) async throws -> Void)?
  /// What the victim shows of a change that waits, and neither had before nor will have.
  var foreseen: @Sendable (String) -> Bool = { _ in false }
  /// More that has to hold while the server lies.
  var check: (@Sendable (Scene) async throws -> Void)?
  /// What is true, where it has to be known before the server's storage is touched.
  private var truth: Facts?
  private var open: [String: Device] = [:]

  private static let template = Task { try await Scene(on: Stage()) }

  /// A copy of a scene that is set up once.
  convenience init() async throws {
    Mutant.takeEffect
    let template = try await Self.template.value
    let world = try World(copying: template.world, seed: Base32.encode(SystemEntropy().bytes(10)))
    self.init(try Stage(in: world, branch: template.stage.branch))
  }

  private init(_ stage: Stage) {
    self.stage = stage
    world = stage.world
    open = ["alice": stage.alice, "mallory": stage.mallory, "carol": stage.carol]
  }

  private convenience init(on stage: Stage) async throws {
    self.init(stage)
    _ = try await stage.alice.second("phone", "alice", in: world)
    for name in ["bob", "eve"] { _ = try await world.person(name) }
    for device in [stage.alice, stage.mallory, stage.carol] { try await device.sync() }
  }

  var branch: CloudID { stage.branch }
  var alice: Device { stage.alice }
  var mallory: Device { stage.mallory }
  var carol: Device { stage.carol }

  func device(_ name: String) throws -> Device {
    if let device = open[name] { return device }
    let device = try world.device(name)
    open[name] = device
    return device
  }

  /// Another device of somebody's, signed in and not synced.
  func addDevice(_ name: String, of device: Device, _ handle: String, pageLines: Int) async throws {
    guard let root = try device.database.read({ try $0.root() }) else { throw TreeError.notSignedIn }
    let added = try world.device(name, pageLines: pageLines)
    try await added.session.logIn(root: root, handle: handle, server: "test")
    open[name] = added
  }

  var victim: Device { get throws { try device(victimName) } }

  /// What the victim would know if the server were honest, found out in a copy of the world.
  func findTruth() async throws -> Facts {
    if let truth { return truth }
    let copy = try World(copying: world, seed: "honest")
    copy.clock.advance(world.clock.now() - copy.clock.now())
    let device = try copy.device(victimName)
    for _ in 0..<2 { _ = try await act(device) }
    let facts = try Facts(of: device)
    truth = facts
    return facts
  }

  /// Stores a record that an honest server would refuse, and counts when the victim gets it.
  func plant(_ draft: Draft) async throws {
    _ = try await findTruth()
    try stage.plant(draft)
    server.watch(for: draft.record.signature.bytes)
  }

  /// Tells the victim that the list goes on with these records.
  func goOn(with drafts: Draft...) throws {
    try retell { retelling in
      retelling.told += drafts.map { draft in
        Told(
          kind: draft.kind, node: draft.node, record: draft.record, contents: draft.contents, hash: draft.record.hash)
      }
    }
  }

  /// Tells the victim another history of the list.
  func retell(_ change: (inout Retelling) throws -> Void) throws {
    var retelling = try Retelling(of: branch, to: victim, in: world)
    try change(&retelling)
    server.tell(retelling)
  }

  /// Lets the victim act, and returns what they find.
  func meet() async throws -> Set<Complaint> {
    let victim = try victim
    var complaints: Set<Complaint> = []
    do {
      let report = try await act(victim)
      complaints.formUnion(report.troubles.values.map { .stops($0) })
    } catch let refusal as Refusal {
      complaints.insert(.refuses(refusal))
    } catch let failure as CloudFailure {
      complaints.insert(.ends("\(failure)"))
    } catch let failure as DeviceFailure {
      complaints.insert(.fails("\(failure)"))
    } catch let failure as LogInFailure {
      complaints.insert(.fails("\(failure)"))
    }
    complaints.formUnion(try victim.quarantine().map { .setsAside($0.reason) })
    let operations = try victim.database.read { try $0.operations() }
    complaints.formUnion(operations.filter { $0.state == .refused }.map { .keepsChange($0.reason ?? .malformed) })
    return complaints
  }
}

/// The check that this run of the tests goes without, where one was named.
enum Mutant {
  static let defence = ProcessInfo.processInfo.environment["HOSTILE_WITHOUT"].flatMap { Defence(rawValue: $0) }
  static let takeEffect: Void = Defence.takeDown(defence)
}
