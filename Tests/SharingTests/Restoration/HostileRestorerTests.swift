import CloudAPI
import Foundation
import Signing
import SwiftProtobuf
import TestSupport
import Testing
import TodoCore

@testable import CloudServer
@testable import Sharing
@testable import Treesystem

/// While a server takes lines back, nobody gets in by that door what the front door refuses (spec §4.5).
@Suite struct HostileRestorerTests {
  private func restore(
    _ message: WireRestoreRequest, as device: Device, to world: World
  ) async throws -> WireRestored {
    device.transport.setCloud(world.cloud)
    return try await device.session.connection().call(.restore, message, answer: WireRestored.self)
  }

  private func head(_ world: World, _ branch: CloudID) throws -> LogHead {
    try world.storage.read { try $0.head(of: branch) ?? LogHead(startOf: branch) }
  }

  /// Records after a place in a log, each at its line.
  private func message(_ drafts: [Draft], of branch: CloudID, after start: LogHead) -> WireRestoreRequest {
    var head = start
    return .with {
      $0.branch = data(branch.bytes)
      $0.afterLine = start.line
      $0.afterHash = data(start.hash.bytes)
      for draft in drafts {
        let line = Line(number: head.line + 1, kind: draft.kind, cloudID: draft.node, hash: draft.record.hash)
        head = head.appending(line)
        $0.lines += data(line.encoded)
        $0.rows.append(
          .with {
            $0.line = line.number
            $0.record = draft.record.wire
          })
      }
    }
  }

  enum Restorer: CaseIterable { case stranger, removedMember, endedDevice, viewer }

  /// Each gives back what they signed with real keys; the server keeps nothing of it, and goes on.
  @Test(arguments: Restorer.allCases) func nothingIsTakenFromWhoMayNot(_ restorer: Restorer) async throws {
    let stage = try await Stage()
    let world = stage.world
    var (sender, reason) = (stage.mallory, Refusal.letterMissing)
    var hand = try Hand(stage.mallory, on: stage.branch)
    switch restorer {
    case .stranger: sender = try await world.person("eve")
    case .removedMember:
      let list = try stage.alice.database.read { try $0.lists()[0].node }
      try stage.alice.database.write { _ = try $0.unshare(list, with: hand.user) }
      try await stage.alice.sync()
    case .endedDevice:
      let phone = try await stage.mallory.second("phone", "mallory", in: world)
      hand = try Hand(phone, on: stage.branch)
      try await stage.mallory.session.endDevice(hand.identity.device, withAdded: false)
      (sender, reason) = (phone, .deviceUnknown)
    case .viewer:
      hand = try Hand(stage.carol, on: stage.branch)
      sender = stage.carol
    }
    let before = try head(world, stage.branch)
    let request = message([try hand.sign(hand.todo())], of: stage.branch, after: hand.head)
    let (restorer, expected) = (sender, reason)
    await #expect(throws: CloudFailure.refused(expected)) { try await restore(request, as: restorer, to: world) }
    #expect(try head(world, stage.branch) == before)
    try stage.alice.add("Groceries", "Bread")
    try await settle(stage.alice, stage.carol)
    #expect(try stage.carol.titles("Groceries") == ["Bread", "Eggs", "Milk"])
  }

  /// A backup from before alice put something below Milk, and mallory, who had not seen that, ends Milk or lets it begin anew.
  @Test(arguments: [Line.Kind.tombstone, .header])
  func nothingUnseenIsTakenAlong(_ kind: Line.Kind) async throws {
    let stage = try await Stage()
    let backup = try World(copying: stage.world, seed: "backup")
    let (alice, mallory) = (try Hand(stage.alice, on: stage.branch), try Hand(stage.mallory, on: stage.branch))
    let oats = alice.sign(try alice.todo(named: "oats", below: "Milk"))
    #expect(try await stage.send(oats) == "accepted")
    let (milk, hash) = try mallory.present("Milk")
    let anew = try mallory.sign(mallory.next("Milk") { $0.revived = $0.version })
    let end = kind == .tombstone ? mallory.delete(milk, after: hash) : anew
    let request = message([oats, end], of: stage.branch, after: alice.head)
    await #expect(throws: CloudFailure.refused(.unseenChildren)) {
      try await restore(request, as: stage.mallory, to: backup)
    }
    #expect(try head(backup, stage.branch) == alice.head)
    // What she has read she may delete.
    let seen = try await restore(message([oats], of: stage.branch, after: alice.head), as: stage.mallory, to: backup)
    try await stage.mallory.sync()
    let later = try Hand(stage.mallory, on: stage.branch)
    #expect(later.head.line == seen.line)
    let deletion = message([later.delete(milk, after: hash)], of: stage.branch, after: later.head)
    #expect(try await restore(deletion, as: stage.mallory, to: backup).line == seen.line + 1)
  }

  /// A member who may not share signs as few renewals here as elsewhere.
  @Test func renewalsAreCounted() async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    var drafts: [Draft] = []
    var (head, previous) = (hand.head, hand.permissions.hash)
    for number in 1...UInt64(Limits.renewalsOfMember + 1) {
      let draft = hand.permit {
        $0.version = hand.permissions.body.version + number
        $0.previous = previous
        $0.author.read = head
      }
      head = head.appending(
        Line(number: head.line + 1, kind: .permissions, cloudID: stage.branch, hash: draft.record.hash))
      previous = draft.record.hash
      drafts.append(draft)
    }
    let all = message(drafts, of: stage.branch, after: hand.head)
    await #expect(throws: CloudFailure.refused(.limitExceeded)) {
      try await restore(all, as: stage.mallory, to: stage.world)
    }
    let few = message(drafts.dropLast(), of: stage.branch, after: hand.head)
    #expect(try await restore(few, as: stage.mallory, to: stage.world).line == head.line - 1)
  }

  /// Todos below each other, the first below Milk, and the log's head after them. The deepest has the least id.
  private func chain(_ count: Int, _ hand: Hand) throws -> (drafts: [Draft], head: LogHead) {
    var (drafts, head): ([Draft], LogHead) = ([], hand.head)
    for number in 0..<count {
      let node = CloudID(exactly: [UInt8(255 - number)] + CloudID.random(hand.entropy).bytes.dropFirst())
      let above = drafts.last?.node
      let draft = hand.sign(try hand.todo(below: "Milk", node: node) { if let above { $0.parent = above } })
      head = head.appending(Line(number: head.line + 1, kind: .header, cloudID: node, hash: draft.record.hash))
      drafts.append(draft)
    }
    return (drafts, head)
  }

  /// Only what hangs too deep is gone, however far down it goes on.
  @Test func whatHangsTooDeepTakesNothingAboveItAlong() async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let (drafts, _) = try chain(2 * Limits.depth, hand)
    let request = message(drafts.reversed(), of: stage.branch, after: hand.head)
    _ = try await restore(request, as: stage.mallory, to: stage.world)
    let live = try stage.world.storage.read { storage in
      try drafts.map { try storage.node($0.node, in: stage.branch)?.isLive == true }
    }
    // Milk is one level below the root.
    #expect(live == (1...2 * Limits.depth).map { $0 < Limits.depth })
  }

  /// What hangs too deep to live keeps nobody from ending what is above it, and nobody looks for it.
  @Test(arguments: [1, Limits.depth]) func onlySoDeepAnEndIsHeldUp(_ depth: Int) async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    var (drafts, read) = try chain(Limits.depth, hand)
    let unseen = hand.sign(try hand.todo(below: "Milk") { $0.parent = drafts[depth - 1].node })
    let (milk, hash) = try hand.present("Milk")
    drafts += [unseen, hand.delete(milk, after: hash) { $0.author.read = read }]
    let (request, before) = (message(drafts, of: stage.branch, after: hand.head), try head(stage.world, stage.branch))
    if depth < Limits.depth {
      await #expect(throws: CloudFailure.refused(.unseenChildren)) {
        try await restore(request, as: stage.mallory, to: stage.world)
      }
      #expect(try head(stage.world, stage.branch) == before)
    } else {
      #expect(try await restore(request, as: stage.mallory, to: stage.world).line == read.line + 2)
    }
  }

  /// One account holds one place among those that wait, however many it begins.
  @Test func nobodyTakesEveryPlace() async throws {
    let stage = try await Stage()
    let desk = RestoreDesk()
    let (alice, mallory) = (try stage.alice.user(), try stage.mallory.user())
    let (first, last) = try stage.world.storage.read { storage in
      let first = Restoration(continuing: try StoredBranch(stage.branch, in: storage, Memory()))
      var last = first
      let line = Line(number: last.head.line + 1, kind: .header, cloudID: stage.branch, hash: .random(SystemEntropy()))
      try last.take(line, .superseded, size: 0, node: nil)
      return (first, last)
    }
    for _ in 0..<2 * ServerLimits.restorations { try desk.keep(first, of: mallory, now: 0) }
    try desk.keep(last, of: mallory, now: 0)
    try desk.keep(first, of: alice, now: 0)
    #expect(desk.take(stage.branch, of: mallory, now: 1)?.head == last.head)
    #expect(desk.take(stage.branch, of: mallory, now: 1) == nil)
    #expect(desk.take(stage.branch, of: alice, now: 1)?.head == first.head)
  }

  /// Whoever only asks what is lacking has nothing looked for that was looked for already.
  @Test func whatIsLackingIsLookedForOnceForEachHead() async throws {
    let stage = try await Stage()
    let desk = RestoreDesk()
    let here = try head(stage.world, stage.branch)
    var looked = 0
    func ask(_ branch: CloudID, at head: LogHead) -> [CloudID] {
      desk.bare(of: branch, at: head) {
        looked += 1
        return [branch]
      }
    }
    for _ in 0..<100 { #expect(ask(stage.branch, at: here) == [stage.branch]) }
    #expect(looked == 1)
    _ = ask(stage.branch, at: LogHead(line: here.line + 1, hash: .zeros))
    #expect(looked == 2)
    // And it takes no more memory for it than it may.
    for number in 0..<2 * ServerLimits.branchesLooked {
      _ = ask(CloudID(bytes: BigEndian.bytes(UInt64(number)) + [UInt8](repeating: 0, count: 8))!, at: here)
    }
    #expect(looked == 2 + 2 * ServerLimits.branchesLooked)
  }

  enum Excess: CaseIterable { case lines, entries, sameRecordTwice, sameRecordAgain, notTheBeginning }

  @Test(arguments: Excess.allCases) func whatIsTooMuchOrAbsurdIsRefused(_ excess: Excess) async throws {
    let stage = try await Stage()
    let hand = try Hand(stage.mallory, on: stage.branch)
    let draft = try hand.sign(hand.todo())
    var request = message([draft], of: stage.branch, after: hand.head)
    let line = try #require(try Line.decode(Array(request.lines)).last)
    let reason: Refusal
    switch excess {
    case .lines:
      for number in 1...UInt64(Limits.restoreLines) {
        request.lines += data(
          Line(
            number: line.number + number, kind: .header, cloudID: line.cloudID, hash: .random(SystemEntropy())
          ).encoded)
      }
      reason = .limitExceeded
    case .entries:
      let entry = try stage.mallory.database.read { try $0.keyring(hand.user)?.entries.last?.wire }
      request.keyrings = [
        .with {
          $0.user = data(hand.user.bytes)
          $0.entries = Array(repeating: entry ?? .init(), count: Limits.restoreEntries + 1)
        }
      ]
      reason = .limitExceeded
    case .sameRecordTwice:
      request.lines += data(
        Line(number: line.number + 1, kind: .header, cloudID: line.cloudID, hash: line.hash).encoded)
      reason = .malformed
    case .sameRecordAgain:
      #expect(try await stage.send(draft) == "accepted")
      let again = try stage.world.storage.read { try $0.head(of: stage.branch) } ?? hand.head
      request = message([draft], of: stage.branch, after: again)
      reason = .malformed
    case .notTheBeginning:
      // Nobody began what this goes on with.
      request.afterLine += 1
      request.more = true
      reason = .chainBroken
    }
    let (before, bent) = (try head(stage.world, stage.branch), request)
    await #expect(throws: CloudFailure.refused(reason)) {
      try await restore(bent, as: stage.mallory, to: stage.world)
    }
    #expect(try head(stage.world, stage.branch) == before)
    #expect(try await stage.alice.sync().troubles.isEmpty)
  }

  /// What waits for its next request is bounded, in memory only, and nobody else's to go on with.
  @Test func whatIsNotKeptYetHasLimits() async throws {
    let stage = try await Stage()
    let start = try head(stage.world, stage.branch)
    try stage.world.storage.read { storage in
      var work = Restoration(continuing: try StoredBranch(stage.branch, in: storage, Memory()))
      let entropy = SeededEntropy("lines")
      func next() throws {
        let line = Line(number: work.head.line + 1, kind: .header, cloudID: stage.branch, hash: .random(entropy))
        try work.take(line, .superseded, size: 0, node: nil)
      }
      for _ in 0..<ServerLimits.restorationLines { try next() }
      #expect(!work.isVouched)
      #expect(throws: Refusal.limitExceeded) { try next() }
    }
    let hand = try Hand(stage.mallory, on: stage.branch)
    let drafts = try (0..<2).map { _ in try hand.sign(hand.todo()) }
    let whole = message(drafts, of: stage.branch, after: start)
    var (first, second) = (whole, whole)
    first.lines = whole.lines.prefix(Line.length)
    first.more = true
    let middle = try await restore(first, as: stage.mallory, to: stage.world)
    #expect(middle.line == start.line + 1 && middle.bare.isEmpty)
    #expect(try head(stage.world, stage.branch) == start)
    second.lines = data(Array(whole.lines.suffix(Line.length)))
    second.afterLine = middle.line
    second.afterHash = middle.logHash
    let last = second
    await #expect(throws: CloudFailure.refused(.chainBroken)) {
      try await restore(last, as: stage.alice, to: stage.world)
    }
    stage.world.clock.advance(ServerLimits.restorationLife)
    await #expect(throws: CloudFailure.refused(.chainBroken)) {
      try await restore(last, as: stage.mallory, to: stage.world)
    }
    _ = try await restore(first, as: stage.mallory, to: stage.world)
    #expect(try await restore(last, as: stage.mallory, to: stage.world).line == start.line + 2)
  }
}
