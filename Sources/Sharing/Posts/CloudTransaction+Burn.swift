import CloudAPI
import Foundation
import GRDB
import Signing
public import Treesystem

/// Taking back what was said (spec §8.8).
extension CloudTransaction {
  /// Takes a post back. One's own leaves the inboxes of those who have not read it yet; what waits here is not sent. Only the device that sent it can do that.
  /// Of somebody else's it is this user's own that goes.
  public func burn(_ post: PostID) throws {
    guard let known = try self.post(post), let node = try known.node.flatMap({ try node($0) }) else {
      throw PostError.notHere
    }
    guard known.isOwn else { return try delete(node.id) }
    guard try !deliveries(of: post).isEmpty else { throw PostError.onAnotherDevice }
    let copies = try operations().filter { $0.node == node.id && $0.kind == .copy }
    guard !copies.contains(where: { $0.state == .sealed }) else { throw TreeError.underWay }
    for copy in copies { try discardOperation(copy.sequence) }
    try burnCopies(of: node)
    // It stays in the outbox until those are answered: whoever sees it there knows that it is not over.
    try db.execute(sql: "INSERT INTO burning (node, post) VALUES (?, ?)", arguments: [node.id, post])
    try db.execute(sql: "DELETE FROM posts WHERE id = ?", arguments: [post])
  }

  /// What was taken back everywhere leaves the outbox, and what has expired goes. Called before a sync.
  func finishBurning() throws {
    let expired = try PostID.fetchAll(db, sql: Self.expiredPosts, arguments: [earlierTime()])
    for post in expired {
      do {
        try burn(post)
      } catch PostError.onAnotherDevice, TreeError.underWay {
        // That device does it, or the next sync; it is not shown meanwhile.
      }
    }
    for node in try NodeID.fetchAll(db, sql: "SELECT node FROM burning") where try !isUnderWay(node) {
      try delete(node)
    }
  }

  /// By its index: a sync that has nothing to do takes no longer for all that was ever said.
  static let expiredPosts = "SELECT id FROM posts WHERE expires <= ? ORDER BY expires, node"

  /// Notes that a post lies in somebody's inbox no more. Nil: it is none.
  func noteBurnt(_ message: Node, of user: UserID, wasThere: Bool) throws -> MessageEvent? {
    let burning = try PostID.fetchOne(db, sql: "SELECT post FROM burning WHERE node = ?", arguments: [message.id])
    guard let post = burning else { return nil }
    try setDelivery(wasThere ? "burnt" : "read", of: post, to: user)
    return wasThere ? .burnt(post, of: user) : nil
  }
}
