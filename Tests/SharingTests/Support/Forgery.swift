import CloudAPI
import Foundation
import Signing
import TestSupport
import Testing
import Treesystem

/// One way of cheating, and the reason with which each side must refuse it.
struct Forgery: Sendable, CustomTestStringConvertible {
  let testDescription: String
  /// The outcome in words; nil where it cannot be sent as an operation.
  let server: String?
  let client: Refusal
  /// What is on the list besides, because the forgery needs it.
  var extra: [String] = []
  /// Whether it proves, by its author's word, that there is another log: then the branch is read no further.
  var tellsOfAFork = false
  /// Whether a server that took it can take nothing else on that list any more.
  var endsTheList = false
  /// A new node of which only the content cannot be read: it has its place, and no text.
  var isPlaced: Bool { extra == [""] }
  /// What nobody can read of a todo that was there is put again by who had it.
  var isPutAgain: Bool { testDescription == "a new version whose metadata does not open" }
  let forge: @Sendable (Stage) async throws -> Draft

  init(
    _ testDescription: String, server: String?, client: Refusal,
    _ forge: @escaping @Sendable (Stage) async throws -> Draft
  ) {
    self.testDescription = testDescription
    self.server = server
    self.client = client
    self.forge = forge
  }

  /// Refused alike on both sides.
  init(
    _ testDescription: String, _ reason: Refusal, _ forge: @escaping @Sendable (Stage) async throws -> Draft
  ) {
    let server = "\(reason.isConflict ? "conflict" : "refused") \(reason.rawValue)"
    self.init(testDescription, server: server, client: reason, forge)
  }

  func with(extra: String) -> Forgery {
    var forgery = self
    forgery.extra = [extra]
    return forgery
  }

  var tellingOfAFork: Forgery {
    var forgery = self
    forgery.tellsOfAFork = true
    return forgery
  }

  var endingTheList: Forgery {
    var forgery = self
    forgery.endsTheList = true
    return forgery
  }
}

/// A header of mallory's, bent.
private func todo(_ stage: Stage, _ bend: (inout HeaderBody) -> Void) throws -> Draft {
  let hand = try Hand(stage.mallory, on: stage.branch)
  return hand.sign(try hand.todo(bend))
}

private func next(_ stage: Stage, _ bend: (inout HeaderBody) throws -> Void) throws -> Draft {
  let hand = try Hand(stage.mallory, on: stage.branch)
  return hand.sign(try hand.next("Milk", bend))
}

extension Forgery {
  /// Headers that the author's keys or place do not carry.
  static let headers: [Forgery] = [
    Forgery("a bad signature", .signatureBad) { try todo($0) { _ in }.withBadSignature },
    Forgery("the signature of another's device", .signatureBad) { stage in
      let carol = try Hand(stage.carol, on: stage.branch)
      let hand = try Hand(stage.mallory, on: stage.branch)
      return hand.sign(try hand.todo(), with: carol)
    },
    Forgery("a child injected by a device that nobody has", .deviceUnknown) {
      try todo($0) { $0.author.device = .random(SystemEntropy()) }
    },
    Forgery("a reader's forgery", .letterMissing) { stage in
      let hand = try Hand(stage.carol, on: stage.branch)
      return hand.sign(try hand.todo())
    },
    Forgery("a stale version", .versionStale) { try next($0) { $0.version -= 1 } },
    Forgery("another version before", .versionStale) { try next($0) { $0.previous = .random(SystemEntropy()) } },
    Forgery("a new node that is there already", .versionStale) {
      try next($0) {
        $0.version = 1
        $0.previous = .zeros
      }
    },
    Forgery("a superseded permissions record", .permissionsSuperseded) { stage in
      let first = try Hand(stage.mallory, on: stage.branch).permissions.body.previous
      return try todo(stage) { $0.permissions = first }
    },
    Forgery("a permissions record of another branch", .permissionsUnknown) { stage in
      try todo(stage) { $0.permissions = .random(SystemEntropy()) }
    },
    Forgery("an epoch to come", .epochWrong) { try todo($0) { $0.epoch += 1 } },
    Forgery("a line that was never read", .readWrong) {
      try todo($0) { $0.author.read = LogHead(line: $0.author.read.line, hash: .random(SystemEntropy())) }
    }.tellingOfAFork,
    Forgery("a line to come", .readWrong) {
      try todo($0) { $0.author.read = LogHead(line: 99, hash: $0.author.read.hash) }
    }.tellingOfAFork,
    Forgery("a keyring that is not so long", .keyringStale) { try todo($0) { $0.author.keyringPosition = 99 } },
    Forgery("a keyring as it was before it was pinned", .keyringStale) {
      try todo($0) { $0.author.keyringPosition = 3 }
    },
  ]

  /// Headers that take another node's key, place or content.
  static let nodes: [Forgery] = [
    Forgery("a swapped node key", .nodeKeySwapped) {
      try next($0) { header in
        header.wrappedKey[30] ^= 1
        header.keyCommitment = .random(SystemEntropy())
      }
    },
    Forgery("the key of the node before with another commitment", .nodeKeySwapped) {
      try next($0) { $0.keyCommitment = .random(SystemEntropy()) }
    },
    Forgery("a parent that is not there", .parentWrong) { try next($0) { $0.parent = .random(SystemEntropy()) } },
    Forgery("below itself", .parentWrong) { try next($0) { $0.parent = $0.cloudID } },
    Forgery("below its own child", .parentWrong) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      let child = hand.sign(try hand.todo(below: "Milk", like: "Eggs"))
      try #require(try await stage.send(child) == "accepted")
      return hand.sign(try hand.next("Milk") { $0.parent = child.node })
    }.with(extra: "Eggs"),
    Forgery("a content that another device sealed for another node", .contentUnknown) { stage in
      let eggs = try Hand(stage.mallory, on: stage.branch).present("Eggs").0
      return try todo(stage) { $0.contents = eggs.contents }
    },
    Forgery("a todo that becomes a pointer", .malformed) {
      try next($0) { $0.contents.removeAll { $0.section == .data } }
    },
    Forgery("a message where there is no inbox", .messageWrong) {
      try todo($0) {
        $0.recipient = $0.author.user
        $0.recipientGeneration = 1
        $0.wrappedKey += [UInt8](repeating: 0, count: 8)
      }
    },
    Forgery("a header moved from another branch, signature and all", server: nil, client: .branchMismatch) { stage in
      try stage.mallory.add("Private", "Milk")
      try await stage.mallory.sync()
      let hand = try Hand(stage.mallory, on: stage.mallory.branch("Private"))
      return hand.sign(try hand.todo())
    },
    Forgery("a header moved from another branch, signed again", .permissionsUnknown) { stage in
      try stage.mallory.add("Private", "Bread")
      try await stage.mallory.sync()
      let hand = try Hand(stage.mallory, on: stage.mallory.branch("Private"))
      let branch = stage.branch
      return hand.sign(
        try hand.todo {
          $0.branch = branch
          $0.parent = branch
        })
    }.tellingOfAFork,
  ]

  /// What only a reader can see: the server takes it, because it cannot look inside.
  static let seals: [Forgery] = [
    Forgery("a content sealed for another node", server: "accepted", client: .contentUnopenable) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      var sheet = try hand.todo()
      let other = hand.seal(Array("Bread".utf8), .data, try hand.todo().key)
      sheet.header.contents[1] = other.0
      sheet.contents[1] = other.1
      return hand.sign(sheet)
    }.with(extra: ""),
    Forgery(
      "a ciphertext that opens under two keys: one that was not committed to", server: "accepted", client: .keyMismatch
    ) {
      try todo($0) { $0.keyCommitment = .random(SystemEntropy()) }
    },
    Forgery("a node key that does not open", server: "accepted", client: .keyMismatch) {
      try todo($0) { $0.wrappedKey[40] ^= 1 }
    },
    Forgery("the token of another name", server: "accepted", client: .nameTokenWrong) {
      try todo($0) { $0.nameToken = .random(SystemEntropy()) }
    },
    Forgery("a document that is none", server: "accepted", client: .malformed) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      return hand.sign(try hand.todo(document: [0xFF, 0xFF]))
    }.with(extra: ""),
    Forgery("a new version whose metadata does not open", server: "accepted", client: .contentUnopenable) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      var sheet = try hand.next("Milk")
      let other = hand.seal([1], .metadata, try hand.todo().key)
      sheet.header.contents[0] = other.0
      sheet.contents = [other.1]
      return hand.sign(sheet)
    },
  ]

  static let tombstones: [Forgery] = [
    Forgery("the deletion of a list by somebody else than its owner", .letterMissing) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      let root = HeaderBody(
        branch: stage.branch, cloudID: stage.branch, parent: nil, nameToken: nil, version: 1, previous: .zeros,
        permissions: .zeros, epoch: 1, wrappedKey: [], keyCommitment: .zeros, contents: [], author: hand.author(),
        operation: .random(SystemEntropy()))
      return hand.delete(root, after: .zeros)
    }.endingTheList,
    Forgery("the deletion of a version before", .versionStale) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      return hand.delete(try hand.present("Milk").0, after: .random(SystemEntropy()))
    },
    Forgery("the deletion of what was never there", .versionStale) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      return hand.delete(try hand.todo().header, after: .random(SystemEntropy()))
    },
    Forgery("a deletion that had not seen what is below", .unseenChildren) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      try #require(try await stage.send(hand.sign(try hand.todo(below: "Milk", like: "Eggs"))) == "accepted")
      let (milk, hash) = try hand.present("Milk")
      return hand.delete(milk, after: hash)
    }.with(extra: "Eggs"),
    Forgery("a deletion by somebody who may only read", .letterMissing) { stage in
      let hand = try Hand(stage.carol, on: stage.branch)
      let (milk, hash) = try hand.present("Milk")
      return hand.delete(milk, after: hash)
    },
  ]

  static let permissions: [Forgery] = [
    Forgery("a broken permissions chain", .permissionsSuperseded) { stage in
      try Hand(stage.alice, on: stage.branch).permit { $0.previous = .random(SystemEntropy()) }
    },
    Forgery("a permissions version left out", .permissionsSuperseded) { stage in
      try Hand(stage.alice, on: stage.branch).permit { $0.version += 1 }
    },
    Forgery("a permissions record that is not the next line", .permissionsSuperseded) { stage in
      try Hand(stage.alice, on: stage.branch).permit { $0.author.read = LogHead(startOf: $0.branch) }
    },
    Forgery("a first record again", .permissionsSuperseded) { stage in
      try Hand(stage.alice, on: stage.branch).permit {
        $0.version = 1
        $0.previous = .zeros
      }
    },
    Forgery("an editor who gives himself the letter to share", .letterMissing) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      return hand.permit { body in
        for index in body.entries.indices where body.entries[index].user == hand.user {
          body.entries[index].letters.formUnion(.share)
        }
      }
    },
    Forgery("another owner", .ownerChanged) { stage in
      let hand = try Hand(stage.mallory, on: stage.branch)
      return hand.permit { body in
        body.owner = hand.user
        for index in body.entries.indices where body.entries[index].user == hand.user {
          body.entries[index].letters = [.read, .write, .share]
        }
      }
    },
    Forgery("a removal that leaves the key as it is", .epochWrong) { stage in
      let carol = try Hand(stage.carol, on: stage.branch).user
      return try Hand(stage.alice, on: stage.branch).permit { $0.entries.removeAll { $0.user == carol } }
    },
    Forgery("another key in the same epoch", .epochWrong) { stage in
      try Hand(stage.alice, on: stage.branch).permit { $0.commitment = .random(SystemEntropy()) }
    },
    Forgery("a generation that the keyring does not have", .pinWrong) { stage in
      let carol = try Hand(stage.carol, on: stage.branch).user
      return try Hand(stage.alice, on: stage.branch).permit { body in
        for index in body.entries.indices where body.entries[index].user == carol {
          body.entries[index].generation = 7
        }
      }
    },
    Forgery("permissions with a bad signature", .signatureBad) { stage in
      try Hand(stage.alice, on: stage.branch).permit { _ in }.withBadSignature
    },
    Forgery("permissions by an unknown device", .deviceUnknown) { stage in
      try Hand(stage.alice, on: stage.branch).permit { $0.author.device = .random(SystemEntropy()) }
    },
    Forgery("a list without its owner", .malformed) { stage in
      let alice = try Hand(stage.alice, on: stage.branch).user
      return try Hand(stage.alice, on: stage.branch).permit { $0.entries.removeAll { $0.user == alice } }
    },
  ]
}
