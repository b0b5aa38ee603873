import CloudAPI
import CloudClient
import Testing
import Treesystem

/// The article of the same name.
@Suite struct FirstNodeTests {
  private let server: GuideServer
  private let authority = GuideServer.authority

  init() throws { server = try GuideServer() }

  @Test func aNodeIsMadeWithoutAServerAndPushed() async throws {
    let path = server.path("alice.db")
    let transport = server.transport

    let database = try CloudDatabase(path: path, appMigrations: [], app: Wishes())

    try database.write { transaction in
      _ = try transaction.createBranch(withPath: Treepath(.home, "wishes"))
      let birthday = try transaction.createNode(withPath: Treepath(.home, "wishes", "birthday"))
      try transaction.addWish("a bicycle", to: birthday)
    }

    let waiting = try database.read { try $0.operations().map(\.kind) }
    #expect(waiting == [.permit, .put, .put, .put])

    try await database.signUp(handle: "alice", server: authority, over: transport, authority: authority)
    let engine = SyncEngine(
      database: database, transport: transport, authority: authority, delegate: Wishes())
    let report = try await engine.sync()
    #expect(report.unsent == 0)

    try database.write { transaction in
      guard let birthday = try transaction.node(withPath: Treepath(.home, "wishes", "birthday")) else { return }
      for wish in ["skis", "a kite", "a drum"] { try transaction.addWish(wish, to: birthday) }
    }
    #expect(try await engine.sync().sent == 1)
  }

  @Test func oneChangeWaitsForAnother() async throws {
    let database = try CloudDatabase(path: server.path("alice.db"), appMigrations: [], app: Wishes())

    try database.write { transaction in
      _ = try transaction.createBranch(withPath: Treepath(.home, "wishes"))
      let dream = try transaction.createNode(withPath: Treepath(.home, "wishes", "dream"))
      let plan = try transaction.createNode(withPath: Treepath(.home, "wishes", "plan"))
      if let first = try transaction.uploadOperation(of: plan.id),
        let second = try transaction.uploadOperation(of: dream.id)
      {
        try transaction.addDependencies([first], to: second)
      }
    }

    let waiting = try database.read { transaction in
      let plan = try transaction.operations().last
      return try plan.map { try transaction.operations(waitingFor: $0.sequence).compactMap(\.node) } ?? []
    }
    let dream = try database.read { try $0.node(withPath: Treepath(.home, "wishes", "dream"))?.id }
    #expect(waiting == [dream])
  }

  @Test func requestsAreSignedForTheServersAuthority() throws {
    #expect(try connect(to: "https://tree.example.org").authority == authority)
  }
}
