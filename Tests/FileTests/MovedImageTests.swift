import Sharing
import TestSupport
import Testing
import TodoCore
import Treesystem

/// Images that somebody attaches while somebody else takes their todo elsewhere, or deletes it.
struct MovedImageTests {
  private let home: Household

  init() async throws {
    home = try await Household()
    try home.alice.list("Private")
    try await home.alice.syncAll()
  }

  @Test func anImageThatIsAttachedMeanwhileGoesAlong() async throws {
    let (alice, bob) = (home.alice, home.bob)
    try alice.move(to: "Private")
    try bob.attach(300_000)
    try await bob.syncAll()
    for device in [alice, bob, alice] { try await device.syncAll() }
    let image = try #require(try alice.image())
    try await alice.session.fetchFile([.data], of: image.node)
    #expect(try alice.picture() == Shelf.bytes(300_000))
    let tablet = try home.world.device("tablet")
    let root = try #require(try alice.database.read { try $0.root() })
    try await tablet.session.logIn(root: root, handle: "alice", server: "test")
    try await tablet.syncAll()
    #expect(try tablet.image()?.file == image.file)
    #expect(try alice.unsent() == 0 && alice.refused().isEmpty)
  }

  /// Alice gives up taking the image along, and nothing else: it cannot stay where its todo leaves, so that the todo stays too.
  @Test func anImageThatIsGivenUpStaysWithItsTodo() async throws {
    let (alice, bob) = (home.alice, home.bob)
    let (file, _) = try await home.shared(300_000)
    let image = try #require(try alice.image())
    try alice.move(to: "Private")
    try alice.database.write { transaction in
      let put = try #require(try transaction.operations().first { $0.node == image.node })
      try transaction.discardOperation(put.sequence)
    }
    for device in [alice, bob, alice] { try await device.syncAll() }
    #expect(try alice.image()?.file == file && bob.image()?.file == file)
    let lists = try [alice, bob].map { device in
      let list = try device.todo().list
      return try device.database.read { try $0.list(list)?.name }
    }
    #expect(lists[0] == lists[1] && lists[0] != "Private")
    #expect(try alice.unsent() == 0 && alice.refused().isEmpty)
  }

  /// Alice deletes the todo for good, and bob has written on it: it comes back with its image.
  @Test func anImageComesBackWithItsTodo() async throws {
    let (alice, bob) = (home.alice, home.bob)
    let (file, _) = try await home.shared(300_000)
    let (todo, bobs) = (try alice.todo(), try bob.todo())
    try alice.database.write { try $0.delete(todo.node) }
    _ = try bob.database.write { try $0.setNote(Note("the hot one"), of: bobs) }
    for device in [bob, alice, bob, alice] { try await device.syncAll() }
    for device in [alice, bob] {
      let image = try #require(try device.image())
      #expect(image.file == file)
      try await device.session.fetchFile([.data], of: image.node)
      #expect(try device.picture() == Shelf.bytes(300_000))
      #expect(try device.unsent() == 0 && device.refused().isEmpty)
    }
  }
}

extension Device {
  fileprivate func move(to name: String) throws {
    let todo = try todo()
    try database.write { transaction in
      let list = try #require(try transaction.lists().first { $0.name == name })
      _ = try transaction.moveTodo(todo, to: list.node)
    }
  }
}
