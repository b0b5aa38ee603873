import CloudAPI
import CloudServer
import Foundation
import GRDB
import Signing
import TestSupport
import Testing

/// What a server keeps beside the records that it follows from is filled from what an older one left.
@Suite struct ServerUpdateTests {
  private func count(_ world: ReleasedWorld, _ sql: String) throws -> Int {
    let queue = try DatabaseQueue(path: world.folder.appending(path: "server/todo-server.sqlite").path)
    return try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM \(sql)") } ?? -1
  }

  @Test(arguments: Released.versions)
  func theNewestLineBelowEachNodeIsFound(_ released: Released) throws {
    let world = try ReleasedWorld(released)
    let wrong = """
      nodes AS top WHERE kind = 1 AND gone = 0 AND newest <> max(line, coalesce((
        WITH RECURSIVE below (cloud_id, line) AS (
          SELECT cloud_id, line FROM nodes
          WHERE branch = top.branch AND parent = top.cloud_id AND kind = 1 AND gone = 0
          UNION
          SELECT child.cloud_id, child.line FROM below JOIN nodes AS child ON child.parent = below.cloud_id
          WHERE child.branch = top.branch AND child.kind = 1 AND child.gone = 0
        )
        SELECT max(line) FROM below), 0))
      """
    #expect(try count(world, wrong) == 0)
    #expect(try count(world, "nodes WHERE kind = 1 AND gone = 0 AND newest > line") > 0)
  }

  @Test(arguments: Released.versions)
  func whoMaySignAndWhoseBranchesAreIsFound(_ released: Released) throws {
    let world = try ReleasedWorld(released)
    let user = try #require(try world.storage.read { try $0.user(handle: "alice") })
    let keyring = try world.storage.read { try Keyring(user: user, entries: $0.keyringEntries(of: user, after: 0)) }
    for device in keyring.devices.values {
      let signer = try world.storage.read { try $0.signer(device.id, of: user) }
      #expect(signer?.signKey == device.signKey && signer?.boxKey == device.boxKey)
      #expect(signer?.hasEnded == (device.ended != nil))
    }
    #expect(try world.storage.read { try $0.signer(nil, of: user) }?.signKey == keyring.rootKey)
    let own = try world.storage.read { try $0.branches(ownedBy: user) }
    #expect(Set(own).isSuperset(of: Trunk.allCases.map { $0.cloudID(of: user) }))
    #expect(try count(world, "branches WHERE owner IS NULL") == 0)
  }
}
