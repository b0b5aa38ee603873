import CloudAPI
import Foundation
import GRDB
import Signing
import SwiftProtobuf

/// A header whose contents are to be fetched.
private struct Wanted {
  let branch: BranchID
  let line: UInt64
  let record: SignedRecord
  let header: HeaderBody
  /// Nil: the row lies in quarantine for want of its contents.
  let node: NodeID?
}

extension SyncEngine {
  /// Fetches what is marked as needed, and what is missing of rows in quarantine. What the server does not have stays marked.
  func download(_ connection: CloudConnection) async throws {
    for wanted in try database.read({ try $0.wantedContents() }) {
      guard let contents = try await contents(of: wanted.header, connection) else { continue }
      try take(contents, wanted)
    }
  }

  /// What does not open stays marked, or in quarantine.
  private func take(_ contents: [WireContent], _ wanted: Wanted) throws {
    do {
      try database.write { transaction in
        let identity = try transaction.identity()
        guard try transaction.stateHash(of: wanted.header.cloudID, in: wanted.branch) == wanted.record.hash else {
          return
        }
        if let node = try wanted.node.flatMap({ try transaction.node($0) }) {
          try transaction.take(contents, of: wanted.header, into: node, identity, delegate)
        } else {
          let row = WireRow.with {
            $0.line = wanted.line
            $0.record = wanted.record.wire
            $0.contents = contents
          }
          try PageReader(transaction: transaction, delegate: delegate, identity: identity).reopen(
            [row], of: wanted.branch)
        }
      }
    } catch let refusal as Refusal {
      try database.write { try $0.setTrouble(refusal, of: wanted.branch) }
    }
  }

  /// Nil: they are not to be had now.
  private func contents(of header: HeaderBody, _ connection: CloudConnection) async throws -> [WireContent]? {
    var contents: [WireContent] = []
    for reference in header.contents where reference.isInPages {
      let route = Route.content(branch: header.branch, reference.content)
      let bytes: [UInt8]
      do {
        bytes = try await connection.call(route)
      } catch CloudFailure.refused {
        return nil
      }
      guard reference.fits(bytes) else { return nil }
      contents.append(
        .with {
          $0.content = data(reference.content.bytes)
          $0.ciphertext = data(bytes)
        })
    }
    return contents
  }
}

extension CloudTransaction {
  /// What is under way of a node is answered first, also from before it was elsewhere: until then the server has not the last.
  fileprivate func wantedContents() throws -> [Wanted] {
    try Row.fetchAll(
      db,
      sql: """
        SELECT n.branch, s.line, s.header, n.id FROM (SELECT DISTINCT node FROM needs_download) d JOIN nodes n ON n.id = d.node
          JOIN branches b ON b.id = n.branch
          JOIN node_states s ON s.branch = n.branch AND s.cloud_id = coalesce(n.cloud_id, b.cloud_id)
        WHERE s.deleted = 0 AND s.header IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM operations o
            WHERE o.branch = s.branch AND o.cloud_id = s.cloud_id AND o.kind = 'put' AND o.state = 'sealed')
        UNION ALL SELECT q.branch, q.line, s.header, NULL FROM quarantine q
          JOIN node_states s ON s.branch = q.branch AND s.cloud_id = q.cloud_id AND s.line = q.line
        WHERE q.reason IN ('content-missing', 'content-mismatch') AND s.deleted = 0 AND s.header IS NOT NULL
        """
    ).map { row in
      let record = try SignedRecord(encoded: Array(row[2] as Data))
      return Wanted(
        branch: row[0], line: UInt64(row[1] as Int64), record: record, header: try HeaderBody(decoding: record.body),
        node: row[3])
    }
  }

  /// What was changed here and not sent is joined with it; else it is the content from now on.
  fileprivate func take(
    _ contents: [WireContent], of header: HeaderBody, into node: Node, _ identity: Identity,
    _ delegate: any TreesystemDelegate
  ) throws {
    guard let key = try? KeyOpener(transaction: self, identity: identity).nodeKey(of: header, in: node.branch) else {
      return
    }
    try unmarkNodeAsNeedsDownload(node.id, components: .all)
    // What does not open never will, and may be written over.
    guard let opened = try? OpenedNode(header, key: key, contents: contents) else { return }
    let isUnchanged = try uploadOperation(of: node.id) == nil
    if node.pointer != nil {
      guard isUnchanged else { return }
      return try db.execute(
        sql: "UPDATE nodes SET alias = ?, trashed_at = ? WHERE id = ?",
        arguments: [opened.alias, opened.trashedAt, node.id])
    }
    if node.isBranchRoot, node.trunk != nil { return }
    if opened.unreadable != nil { return }
    let signed = node.signed(by: header.author)
    do {
      try db.inSavepoint {
        try learnFile(opened.content.file, of: node.id)
        _ = try delegate.deliver(
          isUnchanged ? .reset(signed, opened.content) : .put(signed, opened.content), in: self)
        return .commit
      }
    } catch let error where error is Refusal || error is NodeBecameAnother {
      // The app cannot read it, and would not the next time: what is here stays.
    }
  }
}
