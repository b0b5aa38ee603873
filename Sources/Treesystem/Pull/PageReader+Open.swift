import CloudAPI
import Foundation
import GRDB
import Sealing
import Signing
import SwiftProtobuf

/// Opening verified rows, parents first.
extension PageReader {
  /// How much is known of what comes.
  enum Phase {
    /// Later lines may change what this one means: what does not fit yet waits.
    case early
    /// Every row is here, but not everything that was deleted is gone yet.
    case head
    /// Every row is here: what does not fit now never will.
    case final
  }

  /// At the head of a pull everything is known: what was deleted goes, what was deleted here too early comes back, and every
  /// row is applied, dropped or put into quarantine.
  func settle(_ waiting: inout WaitingRows, in view: LocalBranchView) throws {
    let graves = try believe(waiting.takeTombstones(), in: view)
    // What went elsewhere before its old place was deleted must not go with it.
    var turns = Turns()
    try waiting.open { try tryOpen($0, in: view, .head, &turns) }
    try bury(graves, turns.revived, in: view)
    try restoreWhatWasTouched(by: &waiting, in: view)
    // Whoever gives a name up looks there for a row of its own.
    try waiting.store()
    var late = Turns()
    try waiting.open { try tryOpen($0, in: view, .final, &late) }
    if !Defect.quarantineAdvances.isPlanted { try retryOrphans(in: view) }
    try waiting.addStored()
    try waiting.open { try tryOpen($0, in: view, .final, &late) }
    try bury(late.gone.map { Grave(cloudID: $0, author: nil) }, late.revived, in: view)
    try clearQuarantine(of: view.id)
    try transaction.throwAwayJunk(in: view.id)
    if let permissions = view.permissions?.body { try forgetWhatWasPurged(in: view.id, permissions) }
    try transaction.moveReadLines(of: view.id, to: view.head)
  }

  /// False: the row has to wait, because what it hangs below may come with a later page.
  func tryOpen(_ row: IncomingRow, in view: LocalBranchView, _ phase: Phase) throws -> Bool {
    var turns = Turns()
    return try tryOpen(row, in: view, phase, &turns)
  }

  /// Nodes of which a row says more than what it holds.
  private struct Turns {
    /// They came back after they had been away: what hung below them did not.
    var revived: [CloudID] = []
    /// They were hung below what went, and went with it, wherever they hang here.
    var gone: [CloudID] = []
    /// Nobody can make anything of them.
    var unreadable: Set<CloudID> = []
  }

  private func tryOpen(
    _ row: IncomingRow, in view: LocalBranchView, _ phase: Phase, _ turns: inout Turns
  ) throws -> Bool {
    let header = try row.asHeader()
    // Superseded by a later line of the same pull.
    guard let life = try transaction.life(of: header, in: view.id) else { return true }
    if phase != .final, try isTooEarly(header.body, life, in: view, phase) { return false }
    if try header.body.isBurnt(with: row.wire.contents, at: transaction.latestTime()) {
      // A later line may have taken it already.
      if phase == .early { return false }
      try transaction.passOver(header.body, in: view.id)
      return true
    }
    do {
      return try blamingRows { try openOrKeep(header, life, row, in: view, phase, &turns) }
    } catch let refusal as Refusal where !Defect.strangerEndsSync.isPlanted {
      let mayWait = phase != .final && !Defect.quarantineAdvances.isPlanted
      if mayWait, [.parentWrong, .nameTaken, .limitExceeded, .tooManyBranches].contains(refusal) { return false }
      let isPlaced = !turns.unreadable.contains(header.body.cloudID)
      try setAside(header, row, in: view, refusal, isPlaced: isPlaced)
      // What hung below it before did not come back, whatever becomes of it.
      if header.body.version > 1, life.isSecond { turns.revived.append(header.body.cloudID) }
    }
    return true
  }

  private func setAside(
    _ header: UnverifiedHeader, _ row: IncomingRow, in view: LocalBranchView, _ refusal: Refusal, isPlaced: Bool
  ) throws {
    let line = Line(number: row.wire.line, kind: .header, cloudID: header.body.cloudID, hash: header.hash)
    try transaction.quarantine(line, encode(row.wire), in: view.id, refusal, isPlaced: isPlaced)
  }

  /// What nobody can read, what would make something else of a node, or would hang it where nothing can, is written over by whoever may, from
  /// what it was and where: whoever reads the branch for the first time knows nothing of that.
  private func openOrKeep(
    _ header: UnverifiedHeader, _ life: NodeLife, _ row: IncomingRow, in view: LocalBranchView, _ phase: Phase,
    _ turns: inout Turns
  ) throws -> Bool {
    do {
      return try open(header, life, row, in: view, phase, &turns)
    } catch is NodeBecameAnother {
      // Of what is here from before its deletion it is no version.
      if try buryFormerLife(of: header.body.cloudID, in: view) {
        return try open(header, life, row, in: view, phase, &turns)
      }
      try putAgain(header.body.cloudID, in: view)
      turns.unreadable.insert(header.body.cloudID)
      throw Refusal.malformed
    } catch let unreadable as UnreadableNode {
      try transaction.makeRoom(for: header.body, nameKey: nil, in: view.id)
      try putAgain(header.body.cloudID, in: view)
      turns.unreadable.insert(header.body.cloudID)
      throw unreadable.refusal
    } catch let unreadable as UnreadableContent {
      try setAside(header, row, in: view, unreadable.refusal, isPlaced: true)
      return true
    } catch is HangsBelowPointer {
      // Until all is read the node may get another place.
      if phase == .final { try putAgain(header.body.cloudID, in: view) }
      throw Refusal.parentWrong
    }
  }

  /// Thrown for a node that opens for nobody, whatever else they read.
  private struct UnreadableNode: Error {
    let refusal: Refusal
  }

  /// Thrown for a node that has its place and counts as empty.
  private struct UnreadableContent: Error {
    let refusal: Refusal
  }

  private func putAgain(_ cloudID: CloudID, in view: LocalBranchView) throws {
    guard try transaction.mayWrite(view.id), let node = try transaction.node(cloudID, in: view.id),
      try !isOfFormerLife(node)
    else { return }
    try transaction.queueUpload(of: node.id)
  }

  private func open(
    _ header: UnverifiedHeader, _ life: NodeLife, _ row: IncomingRow, in view: LocalBranchView, _ phase: Phase,
    _ turns: inout Turns
  ) throws -> Bool {
    let tree = LocalTree(transaction: transaction, branch: view.id, line: row.wire.line)
    // It went with something above it, and its contents are gone too. Where that hung, nobody may know any more.
    if try tree.life(below: header.body.parent, since: life.line) == .gone {
      if phase == .final { turns.gone.append(header.body.cloudID) }
      return phase == .final
    }
    try verifyPlace(of: header.body, in: tree)
    if let above = header.body.parent, above != view.branch, try transaction.isPointer(above, in: view.id) {
      throw HangsBelowPointer()
    }
    let parent = try header.body.parent.flatMap { try transaction.node($0, in: view.id) }
    let left = try transaction.hasDepartures(from: view.id)
    let isOffTree = try parent == nil && transaction.isOffTree(view.id)
    if isOffTree, !left { return true }
    guard parent != nil || header.body.parent == nil || isOffTree || left else { throw Refusal.parentWrong }
    let opener = KeyOpener(transaction: transaction, identity: identity, keys: branchKeys)
    let key = try opener.nodeKey(of: header.body, in: view.id)
    let opened = try openContents(of: header.body, row.wire.contents, key)
    let needsName = header.body.parent != nil && header.body.recipient == nil
    if needsName, opened.metadata.name.isEmpty { throw UnreadableNode(refusal: .malformed) }
    let refusal = try apply(opened, in: view.id, parent: parent, phase, left, isOffTree)
    if header.body.version > 1, life.isSecond { turns.revived.append(header.body.cloudID) }
    if let refusal { throw UnreadableContent(refusal: refusal) }
    return true
  }

  private func openContents(of header: HeaderBody, _ contents: [WireContent], _ key: NodeKey) throws -> OpenedNode {
    do {
      return try OpenedNode(header, key: key, contents: contents)
    } catch let refusal where header.lists(contents) {
      throw UnreadableNode(refusal: refusal)
    }
  }

  private func isTooEarly(
    _ header: HeaderBody, _ life: NodeLife, in view: LocalBranchView, _ phase: Phase
  ) throws -> Bool {
    // Only at the head is it known what hangs below a node that came back.
    if phase == .early, header.version > 1, life.isSecond { return true }
    // Who was invited late gets the key with a later line, perhaps on a later page.
    if header.recipient == nil, try branchKeys.key(of: header, in: view.id, transaction) == nil { return true }
    // Below what was deleted here; whether that comes back is seen at the head.
    return try !transaction.removals(touchedBy: header, in: view.id).isEmpty
  }

  /// All of a row or nothing. Returns why the app cannot read the content of a node that has its place now.
  private func apply(
    _ opened: OpenedNode, in branch: BranchID, parent: Node?, _ phase: Phase, _ left: Bool, _ isOffTree: Bool
  ) throws -> Refusal? {
    // Before anything is made of what is here under its id, and also where nothing comes of the row.
    try transaction.makeRoom(
      for: opened.header, nameKey: Data(opened.metadata.nameKey), in: branch)
    var refusal: Refusal?
    try transaction.db.inSavepoint {
      if left, try DepartureReader(transaction: transaction, delegate: delegate).take(opened, in: branch) {
        return .commit
      }
      if isOffTree { return .commit }
      guard parent != nil || opened.header.parent == nil else { throw Refusal.parentWrong }
      refusal = try Applier(
        transaction: transaction, delegate: delegate, identity: identity, isLast: phase == .final,
        isSecondLook: isSecondLook
      ).apply(opened, in: branch, parent: parent)
      return .commit
    }
    return refusal
  }
}

extension HeaderBody {
  /// Whether all came that it lists, byte for byte: what is wrong then is its author's.
  fileprivate func lists(_ contents: [WireContent]) -> Bool {
    self.contents.filter(\.isInPages).allSatisfy { reference in
      contents.contains { Array($0.content) == reference.content.bytes && reference.fits(Array($0.ciphertext)) }
    }
  }
}
