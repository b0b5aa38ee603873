import CloudAPI
import CloudServer
import Signing
import SwiftProtobuf
import Testing

/// What goes with an account, and what keeps it from going (spec §2.7).
struct DeleteAccountTests {
  private let world: World
  private let frank: Person
  private let gina: Person

  init() throws {
    world = try World()
    (frank, gina) = (try world.member("frank"), try world.member("gina"))
  }

  private func end(_ person: Person) -> String {
    var person = person
    person.add(.deleteAccount, by: (person.deviceID, person.device))
    let append = WireKeyringAppend.with {
      $0.user = data(person.user.bytes)
      $0.entries = person.entries.dropFirst(4).map(\.wire)
    }
    let response = world.send(.keyringAppend, append, as: person)
    return response.status == 200 ? "ended" : reason(response)
  }

  /// A branch in frank's, who owns both.
  private func nest(_ author: Person, in club: BranchHand) throws -> BranchHand {
    let permissions = try #require(club.permissions)
    var nested = BranchHand(world)
    let first = nested.permit([frank.entry([.read, .write, .share]), gina.entry([.read, .write, .share])], author) {
      $0.owner = frank.user
      $0.enclosing = Enclosing(
        branch: club.branch, permissionsVersion: club.version, permissions: permissions.hash, owner: frank.user)
    }
    try #require(word(try nested.send(first, author)) == "accepted")
    try #require(
      word(try nested.send(nested.put(nested.header(nested.branch, parent: nil, gina), gina), gina)) == "accepted")
    return nested
  }

  private func has(_ branch: CloudID) throws -> Bool { try world.storage.read { try $0.head(of: branch) } != nil }

  /// Gina made it while she could; frank has no pointer to it, and cannot find it.
  @Test func whatOthersMadeInSomebodysNameKeepsNobody() throws {
    var club = try BranchHand.list(world, frank, with: [gina.entry([.read, .write, .share])])
    let ghost = try nest(gina, in: club)
    #expect(end(frank) == "lists-shared", "the list around it is shared")
    let alone = club.permit([frank.entry([.read, .write, .share])], epoch: 2, frank)
    #expect(word(try club.send(alone, frank)) == "accepted")
    #expect(end(frank) == "ended")
    #expect(try !has(club.branch))
    // What gina wrote there is hers.
    #expect(try world.pull(ghost.branch, as: gina).rows.count == 2)
    var later = ghost
    #expect(word(try later.send(later.put(later.header(parent: later.branch, gina), gina), gina)) == "accepted")
  }

  @Test func whatOneMadeOneselfIsOnesOwnToEnd() throws {
    var club = try BranchHand.list(world, frank, with: [gina.entry([.read, .write, .share])])
    var shed = try nest(frank, in: club)
    #expect(
      word(try club.send(club.permit([frank.entry([.read, .write, .share])], epoch: 2, frank), frank)) == "accepted")
    #expect(end(frank) == "lists-shared")
    #expect(
      word(try shed.send(shed.permit([frank.entry([.read, .write, .share])], epoch: 2, frank), frank)) == "accepted")
    #expect(end(frank) == "ended")
    #expect(try !has(shed.branch))
  }

  /// Nobody is left whose it could be.
  @Test func whatOnlyTheOwnerIsOnGoes() throws {
    let club = try BranchHand.list(world, frank, with: [gina.entry([.read, .write, .share])])
    var (ghost, around) = (try nest(gina, in: club), club)
    let entries = [frank.entry([.read, .write, .share])]
    #expect(word(try ghost.send(ghost.permit(entries, epoch: 2, gina), gina)) == "accepted")
    #expect(word(try around.send(around.permit(entries, epoch: 2, frank), frank)) == "accepted")
    #expect(end(frank) == "ended")
    #expect(try !has(ghost.branch))
  }
}
