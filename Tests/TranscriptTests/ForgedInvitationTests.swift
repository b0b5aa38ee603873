import CloudAPI
import Foundation
import Signing
import Testing
import TodoCore
import Treesystem

@testable import Sharing

/// What somebody reads whom a stranger invites to another's list. Anybody can send such a message: no command does, so it is put into the
/// stranger's profile, and their own program sends it.
@Suite struct ForgedInvitationTests {
  private static let people = """
    server$ todo-server --data server --listen 127.0.0.1:0
    todo-server: listening on http://127.0.0.1:<port:server>
    alice$ todo signup alice --server http://127.0.0.1:<port:server> --quiet
    bob$ todo signup bob --server http://127.0.0.1:<port:server> --quiet
    mallory$ todo signup mallory --server http://127.0.0.1:<port:server> --quiet
    alice$ todo add Trip tickets --quiet --sync
    mallory$ todo users bob --quiet
    """

  /// Mallory knows the list's id and not how it begins; or knows that too.
  @Test(arguments: [true, false]) func nobodyIsLetInByAStranger(_ isHashRight: Bool) async throws {
    try await play { stage in
      try forge(on: stage, isHashRight: isHashRight)
      try stage.play(
        text: """
          mallory$ todo sync --quiet
          bob$ todo invites
          1  Trip from mallory (editor)
          bob$ todo accept 1
          todo: error: accepted, but the server says that 'Trip' is not shared with you: nothing of it came
          todo: hint: ask mallory to share it with you again, or forget it: todo lists rm Trip
          [exit 77]
          bob$ todo lists
          Trip from mallory is not shared with you any more, and nothing of it came  todo status
          bob$ todo status | grep -A2 Trip,
            Trip, noticed <time>
                you accepted it, but you are on it no more; nothing of it came
                → ask mallory to share it with you again
          bob$ todo lists rm Trip
          removed list Trip from mallory
          """)
    }
  }

  /// The owner has invited bob as well: what the list has does not fit mallory's word, and fits hers.
  @Test func whereTheOwnerInvitesTooTheWrongOneIsTold() async throws {
    try await play { stage in
      try forge(on: stage, isHashRight: false)
      try stage.play(
        text: """
          mallory$ todo sync --quiet
          bob$ todo sync --quiet
          alice$ todo share Trip --with bob --quiet
          bob$ todo accept 1
          todo: error: accepted, but Trip from mallory cannot be read (first-record-wrong)
          todo: hint: nothing of it was believed; 'todo status' says what to do
          [exit 76]
          bob$ todo leave Trip
          todo: error: nothing of 'Trip' was believed (first-record-wrong)
          todo: hint: take it off your lists: todo lists rm Trip; whoever shares it can take you off it
          [exit 76]
          bob$ todo status | grep -A2 Trip,
            Trip, noticed <time>
                what the server has does not fit the invitation (first-record-wrong), so nothing of it was believed; mallory or the server is wrong
                → ask whoever owns the list to share it with you: a new invitation takes the place of this one
          bob$ todo invites
          2  Trip from alice (editor)
          bob$ todo accept 2
          accepted Trip from alice
          bob$ todo ls
          Trip  1 open · with alice
            <id> tickets · alice
          bob$ todo status | grep -c believed
          0
          [exit 1]
          """)
    }
  }

  /// Puts an invitation to alice's only list into mallory's outbox.
  private func forge(on stage: Stage, isHashRight: Bool) throws {
    let alice = try stage.profile("alice")
    let (branch, first) = try alice.read { transaction in
      let list = try transaction.lists()[0]
      let branch = try #require(try transaction.cloudID(of: list.branch))
      return (branch, try #require(try transaction.firstPermissions(of: list.branch)))
    }
    let victim = try stage.profile("bob").read { try $0.requireAccount().user }
    try stage.profile("mallory").write { transaction in
      _ = try transaction.graftNode(
        withLocalPath: Treepath(.home, branch.description), remoteCloudID: branch,
        firstPermissions: isHashRight ? first : .random(transaction.entropy))
      var message = SealedMessage()
      message.invitation.branch = data(branch.bytes)
      message.invitation.title = "Trip"
      message.invitation.letters = Letters([.read, .write]).rawValue
      try transaction.sendMessage(message, toRecipients: [victim], withDependencies: [])
    }
  }

  private func play(_ body: @escaping @Sendable (Stage) throws -> Void) async throws {
    try await onThread {
      let stage = try Stage()
      defer { try? stage.clear() }
      do {
        try stage.play(text: Self.people)
        try body(stage)
      } catch let mismatch as Mismatch {
        Issue.record("\(mismatch)")
      }
    }
  }
}

extension Stage {
  /// A person's profile, as their program opens it.
  fileprivate func profile(_ person: String) throws -> CloudDatabase {
    try CloudDatabase(
      path: folder.appending(path: "\(person)/profiles/default/todo.db").path,
      appMigrations: sharingMigrations + TodoTables.migrations, app: SharingDelegate(app: TodoDelegate()),
      entropy: SystemEntropy(), clock: SystemClock())
  }
}
