import CloudAPI
import Signing
import Testing
import Treesystem

/// The article "Mapping nodes to your objects".
@Suite struct MappingTests {
  private let server: GuideServer
  private let desk: CloudDatabase
  private let laptop: CloudDatabase

  init() async throws {
    server = try GuideServer()
    let (authority, transport) = (GuideServer.authority, server.transport)
    desk = try CloudDatabase(path: server.path("desk.db"), appMigrations: recipeMigrations, app: RecipeBook())
    laptop = try CloudDatabase(path: server.path("laptop.db"), appMigrations: recipeMigrations, app: RecipeBook())
    try await desk.signUp(handle: "alice", server: authority, over: transport, authority: authority)
    let root = try #require(try desk.read { try $0.root() })
    try await laptop.logIn(root: root, handle: "alice", server: authority, over: transport, authority: authority)
  }

  private func sync(_ devices: CloudDatabase...) async throws {
    for device in devices {
      let engine = SyncEngine(
        database: device, transport: server.transport, authority: GuideServer.authority, delegate: RecipeBook())
      #expect(try await engine.sync().unsent == 0)
    }
  }

  private func book(_ transaction: CloudTransaction) throws -> NodeID {
    let pointer = try #require(try transaction.node(withPath: Treepath(.home, "soups"))?.pointer)
    return try #require(try transaction.root(of: pointer)).id
  }

  @Test func rowsFollowTheTree() async throws {
    let soup = try desk.write { transaction in
      let book = try transaction.createBranch(withPath: Treepath(.home, "soups"))
      return try transaction.addRecipe("Onion soup", "Weep.", to: book.id)
    }
    try await sync(desk, laptop)
    let arrived = try laptop.read { try $0.recipes(in: book($0)) }
    #expect(arrived == [Recipe(edition: 1, title: "Onion soup", steps: "Weep.")])

    try laptop.write { transaction in
      let there = try #require(try transaction.children(of: book(transaction)).first)
      try transaction.setSteps("Weep. Stir.", of: there.id)
    }
    try desk.write { try $0.setSteps("Weep. Serve.", of: soup.id) }
    try await sync(laptop, desk, laptop)
    for device in [desk, laptop] {
      let recipes = try device.read { try $0.recipes(in: book($0)) }
      #expect(recipes == [Recipe(edition: 2, title: "Onion soup", steps: "Weep. Stir.")])
    }

    try desk.write { try $0.delete(soup.id) }
    try await sync(desk, laptop)
    #expect(try laptop.read { try $0.recipes(in: book($0)) }.isEmpty)
  }

  @Test func anObjectThatLivesElsewhereIsLinked() throws {
    try desk.write { transaction in
      let book = try transaction.createBranch(withPath: Treepath(.home, "soups"))
      let soup = try transaction.addRecipe("Onion soup", "Weep.", to: book.id)

      try transaction.linkNodeID(soup.id, toKey: "contact-17", inCollection: "cooks")
      #expect(try transaction.linkedNode(forKey: "contact-17", inCollection: "cooks") == soup)

      try transaction.delete(soup.id)
      #expect(try transaction.linkedNode(forKey: "contact-17", inCollection: "cooks") == nil)
    }
  }
}
