import CloudAPI
import Sharing
import Signing
import Testing
import TreeSupport

@testable import Treesystem

/// Two changes at once of who is on a list and on the shed that is nested in it, by people who do not know of each other's: whoever
/// syncs first, all devices end with one state (docs/membership.md).
@Suite struct NestedPairTests: Nesting {
  /// What somebody does with carol or erin.
  enum Change: Sendable {
    case share(Place, with: String, Role)
    case remove(String, from: Place)
    /// Carol leaves the list.
    case leave
  }

  enum Place: Sendable {
    case list
    case shed
  }

  struct Pair: Sendable, CustomTestStringConvertible {
    let testDescription: String
    /// Alice's, or carol's who leaves.
    let first: Change
    /// Bob's.
    let second: Change
    /// Whether carol is on the shed before.
    var isOnShed = true
    /// Who is on the list, and who on the shed, besides alice who owns and bob who administers both: where the first syncs first, and
    /// where the second does.
    let ends: [String]
  }

  let rooms: Rooms

  init() async throws { rooms = try await Rooms() }

  /// Carol is an editor of both, erin is on neither.
  static let pairs = [
    Pair(
      testDescription: "taken off the list, another role in the shed",
      first: .remove("carol", from: .list), second: .share(.shed, with: "carol", .admin), ends: ["list: ; shed: "]),
    Pair(
      testDescription: "taken off the list, added to the shed",
      first: .remove("carol", from: .list), second: .share(.shed, with: "carol", .editor), isOnShed: false,
      ends: ["list: ; shed: carol editor", "list: ; shed: "]),
    Pair(
      testDescription: "taken off the list, another added to the shed",
      first: .remove("carol", from: .list), second: .share(.shed, with: "erin", .editor),
      ends: ["list: ; shed: erin editor"]),
    Pair(
      testDescription: "another role on the list, taken off the shed",
      first: .share(.list, with: "carol", .viewer), second: .remove("carol", from: .shed),
      ends: ["list: carol viewer; shed: "]),
    Pair(
      testDescription: "added to both",
      first: .share(.list, with: "erin", .editor), second: .share(.shed, with: "erin", .viewer),
      ends: [
        "list: carol editor, erin editor; shed: carol editor, erin viewer",
        "list: carol editor, erin editor; shed: carol editor, erin editor",
      ]),
    Pair(
      testDescription: "leaves the list, taken off the shed",
      first: .leave, second: .remove("carol", from: .shed), ends: ["list: ; shed: "]),
    Pair(
      testDescription: "leaves the list, another role in the shed",
      first: .leave, second: .share(.shed, with: "carol", .admin), ends: ["list: ; shed: "]),
    Pair(
      testDescription: "leaves the list, another added to the shed",
      first: .leave, second: .share(.shed, with: "erin", .viewer), ends: ["list: ; shed: erin viewer"]),
  ]

  @Test(arguments: pairs, [true, false])
  func endsInOneState(_ pair: Pair, _ firstSyncsFirst: Bool) async throws {
    let shed = try nest(alice)
    let carol = try await person("carol")
    let erin = try await person("erin")
    let people = try ["carol": user(carol), "erin": user(erin)]
    try share(list, with: user(carol))
    try await settle(carol)
    try accept(carol)
    try await settle(carol)
    if !pair.isOnShed {
      try unshare(alice, shed, with: user(carol))
      try await settle(carol)
    }
    let first = if case .leave = pair.first { carol } else { alice }
    for (device, change) in [(first, pair.first), (bob, pair.second)] {
      try device.database.write { transaction in
        func root(_ place: Place) throws -> NodeID { try self.root(place == .list ? list : shed, transaction).id }
        switch change {
        case .leave: _ = try transaction.leave(root(.list))
        case .remove(let name, let place):
          _ = try transaction.recursiveRemoveShareItem(forUserID: #require(people[name]), nodeID: root(place))
        case .share(let place, let name, let role):
          try transaction.share(root(place), with: #require(people[name]), role: role, title: "", note: "")
        }
      }
    }
    for device in firstSyncsFirst ? [first, bob] : [bob, first] { try await device.sync() }
    try await settle(carol, erin)
    let end = try names(shed, people)
    #expect(end == (firstSyncsFirst ? pair.ends[0] : pair.ends[pair.ends.count - 1]))
    try expectCalm(alice, bob, erin)
    // Who is not on the shed does not hear of what comes.
    try alice.database.write { transaction in
      let node = try transaction.createNode(named: "secret", in: self.root(shed, transaction).id)
      try Notes().set(["gold"], node, transaction)
    }
    try await settle(carol)
    #expect(try words(bob, shed) == ["secret: gold", "tool: saw"])
    let isOnShed = try members(shed).contains(user(carol))
    #expect(try isOnShed || words(carol, shed)?.contains("secret: gold") != true)
  }

  private func person(_ name: String) async throws -> Device {
    let device = try rooms.world.notebook(name)
    try await device.session.signUp(handle: name, server: "test")
    try await device.sync()
    for other in [alice, bob] { _ = try await other.session.lookUp(handle: name) }
    return device
  }

  private func names(_ shed: CloudID, _ people: [String: UserID]) throws -> String {
    let places = try [("list", list), ("shed", shed)].map { place, branch in
      let record = try record(branch)
      let names = people.sorted { $0.key < $1.key }.compactMap { name, user in
        record.entry(of: user).map { "\(name) \(Role($0.letters, isOwner: false).rawValue)" }
      }
      return "\(place): \(names.joined(separator: ", "))"
    }
    return places.joined(separator: "; ")
  }
}
