import CloudAPI
import CloudServer
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import TodoCore

@testable import Treesystem

/// What the server refuses although it may not: a removal, the new key after a device has ended, the end of a list. What alice writes
/// afterwards must not go out under the key that is in force.
extension Operator {
  static let refusals: [Operator] =
    [RefusalLie.Target.removal, .renewal, .closing].map(dropped) + [denied]
    + RefusalLie.all.map { lie in
      Operator(lie.name, lie.defence, [.answer: lie.end]) { scene, _ in
        scene.victimName = "alice"
        try await scene.takeAway(lie.target)
        scene.server.standIn { request in lie.answer(to: request).map { .told($0) } }
      }
    }
}

extension Operator {
  /// The server says that it has it, and has not.
  fileprivate static func dropped(_ target: RefusalLie.Target) -> Operator {
    Operator("\(target.rawValue) acknowledged and dropped", .permitRead, [.answer: .harmless(.between)]) { scene, _ in
      scene.victimName = "alice"
      try await scene.takeAway(target)
      // Whoever is about to go is shown so.
      scene.foreseen = { $0.hasPrefix("member of Groceries: ") && $0.hasSuffix(" true true false") }
      scene.server.standIn { request in RefusalLie.drop(request).map { .told($0) } }
    }
  }
}

extension Operator {
  /// What tells alice that a device was ended comes, and what would have her read the list up to it does not.
  private static let denied = Operator(
    "renewal: the list cannot be read", .deniedHold, [.answer: .stops(.branchDenied, showing: .between)]
  ) { scene, _ in
    scene.victimName = "alice"
    try await scene.takeAway(.renewal, behind: true)
    let branch = scene.branch
    scene.server.standIn { request in
      guard request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        Array(asked.branch) == branch.bytes
      else { return nil }
      return .refusing(.letterMissing, status: 403)
    }
  }
}

extension Scene {
  /// Alice does what is to be refused, and goes on writing.
  /// - Parameter behind: whether there is something on the list that she has not read.
  fileprivate func takeAway(_ target: RefusalLie.Target, behind: Bool = false) async throws {
    switch target {
    case .removal:
      let user = try mallory.user()
      act = { alice in
        try alice.database.write { transaction in
          // Once: a removal that was refused is not asked for again, it goes by itself.
          guard try !transaction.operations().contains(where: { $0.user == user }) else { return }
          let list = try transaction.lists()[0].node
          guard try transaction.members(of: list).contains(where: { $0.user == user }) else { return }
          _ = try transaction.unshare(list, with: user)
        }
        return try await alice.sync()
      }
    case .renewal:
      let tablet = try await writeFromNewDevices(1)
      try await alice.sync()
      if behind {
        try mallory.add("Groceries", "Bread")
        try await mallory.sync()
      }
      let stolen = try tablet.database.read { try $0.requireAccount().device }
      try await mallory.session.endDevice(stolen, withAdded: false)
    // What was written before goes out first, and there is nothing after the last record.
    case .closing:
      return try alice.database.write { transaction in _ = try transaction.close(transaction.lists()[0].node) }
    }
    try alice.add("Groceries", "Champagne")
    check = { scene in
      // It goes by itself once the server takes the record, and not with the next sync either.
      try await scene.alice.sync()
      let node = try scene.alice.todo("Champagne").node
      let cloudID = try #require(try scene.alice.database.read { try $0.node(node)?.cloudID })
      let branch = scene.branch
      #expect(try scene.world.storage.read { try $0.node(cloudID, in: branch) } == nil, "it is written for everybody")
    }
  }
}
