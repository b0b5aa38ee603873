import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// The disk fails at each of its steps in turn, or the server ends there: no part that was acknowledged is lost, and nothing stays behind
/// that nobody has any use for.
@Suite struct FileCrashTests {
  @Test(arguments: MemoryDisk.Fault.allCases)
  func everyStepMayFail(_ fault: MemoryDisk.Fault) throws {
    let untroubled = try History(fault, at: .max)
    try untroubled.play()
    #expect(untroubled.disk.steps > 30)
    for step in 1...untroubled.disk.steps {
      let history = try History(fault, at: step)
      #expect(throws: Never.self, "\(fault) at step \(step)") { try history.play() }
    }
  }

  /// A server that has lost its database begins with a new one: what lies beside it is wanted with the backup.
  @Test func aNewDatabaseTakesNothingAway() throws {
    let disk = MemoryDisk()
    let world = try World(blobs: FolderBlobStore(disk: disk))
    let file = try TestFile(data: 70_000)
    #expect(try world.put(0, of: file, as: world.member("alice")).status == 204)
    let paths = disk.paths
    try World().restart(blobs: FolderBlobStore(disk: disk))
    #expect(disk.paths == paths && !paths.isEmpty)
    // The server whose they are knows what to do with them.
    try world.restart(blobs: FolderBlobStore(disk: disk))
    #expect(disk.paths == paths)
  }
}

/// Two files come, one of them is listed, and both go.
private final class History {
  private static let day: Int64 = 24 * 3600 * 1000

  let disk = MemoryDisk()
  private let world: World
  private let alice: Person
  private let files: [TestFile]
  private var list: BranchHand
  /// Those of which a part was acknowledged, and that were not to go yet.
  private var acknowledged: [TestFile] = []

  init(_ fault: MemoryDisk.Fault, at step: Int) throws {
    world = try World()
    alice = try world.member("alice")
    files = [try TestFile(data: 70_000), try TestFile(data: 1)]
    list = try BranchHand.list(world, alice)
    disk.fail(fault, at: step)
  }

  func play() throws {
    try start()
    for file in files {
      try insist { world.put(0, of: file, as: alice).status == 204 }
      acknowledged.append(file)
      try check()
    }
    let node = try list.attach(files[0], alice)
    try insist { world.read(files[0], in: list.branch, as: alice).body == files[0].bytes }
    // Once more, over what is there.
    try insist { world.put(0, of: files[0], as: alice).status == 204 }
    try restart()
    try check()
    acknowledged = [files[0]]
    try letTimePass()
    try check()
    try list.remove(node, alice)
    acknowledged = []
    try letTimePass()
    try restart()
    guard disk.paths == [] else { throw Failure.leak(disk.paths) }
  }

  private enum Failure: Error {
    case leak([String])
    case lost
    case stuck
  }

  private func start() throws {
    try insist {
      do {
        try world.restart(blobs: try FolderBlobStore(disk: disk))
        return true
      } catch is StorageFailure {
        return false
      }
    }
  }

  private func restart() throws {
    disk.restart()
    try start()
  }

  /// Tries again what failed, with a new server if that one died.
  private func insist(_ body: () throws -> Bool) throws {
    for _ in 0..<3 {
      if try body() { return }
      if disk.isDead {
        disk.restart()
        try? world.restart(blobs: try FolderBlobStore(disk: disk))
      }
    }
    throw Failure.stuck
  }

  private func check() throws {
    for file in acknowledged {
      try insist {
        let response = world.send(.upload(file.content), as: alice)
        // A disk that fails is no answer; one that answers has the part.
        guard response.status < 500 else { return false }
        guard response.status == 200, try WireUpload(serializedBytes: response.body).parts == [0] else {
          throw Failure.lost
        }
        return true
      }
    }
  }

  /// Twelve days: what goes is noticed after three of them, and is gone after ten at the latest.
  private func letTimePass() throws {
    for _ in 0..<4 {
      world.clock.move(by: 3 * Self.day)
      try insist {
        try world.anything(as: alice)
        return !disk.isDead
      }
    }
  }
}
