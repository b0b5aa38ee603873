import CloudAPI
import CloudServer
import Foundation
import Signing
import Testing

struct StorageTests {
  @Test func twoServersCannotOpenOneFolder() throws {
    let world = try World()
    #expect(throws: StartFailure.folderInUse(world.folder)) { try SQLiteStorage(folder: world.folder) }
  }

  @Test func onlyTheOwnerCanReadTheFolder() throws {
    let world = try World()
    _ = try world.member("alice")
    let files = FileManager.default
    #expect(try files.attributesOfItem(atPath: world.folder)[.posixPermissions] as? Int == 0o700)
    for name in try files.contentsOfDirectory(atPath: world.folder) {
      let attributes = try files.attributesOfItem(atPath: "\(world.folder)/\(name)")
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(name)")
    }
  }

  @Test func everythingIsThereAfterARestart() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cloud-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let alice = Person("alice")
    let signUp = CloudRequest(
      method: "POST", authority: "", path: Route.accounts.path, headers: ["todo-protocol": "1"],
      body: encode(alice.signUp()))
    do {
      let storage = try SQLiteStorage(folder: folder)
      defer { storage.close() }
      #expect(
        Cloud(storage: storage, blobs: MemoryBlobStore(), policy: .open, clock: StillClock()).handle(signUp).status
          == 201)
    }
    let storage = try SQLiteStorage(folder: folder)
    defer { storage.close() }
    let head = try storage.read { try $0.keyringHead(of: alice.user) }
    #expect(head == StoredKeyringHead(position: 4, hash: alice.entries[3].hash))
  }

  @Test func aDamagedDatabaseIsNamed() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("cloud-\(UUID().uuidString)").path
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(repeating: 0x55, count: 8192).write(to: URL(fileURLWithPath: "\(folder)/todo-server.sqlite"))
    #expect(throws: StartFailure.databaseUnusable(folder)) { try SQLiteStorage(folder: folder) }
  }
}
