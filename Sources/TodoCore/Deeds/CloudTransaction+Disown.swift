import CloudAPI
import GRDB
import Signing
import Treesystem

extension CloudTransaction {
  /// Writes again, under a replica that is nobody's, what bears this device's replica and came from others, and what others passed on as this
  /// user's: who has only this user's signature takes it for their word (spec §7.13). Nil where there is nothing of that kind.
  func disowned(_ content: VersionedDocument, of node: Node) throws -> VersionedDocument? {
    let carried = try carriedWrites(of: node.id)
    guard !carried.isEmpty, let account = try account(), !Defect.disownForgotten.isPlanted else { return nil }
    let foreign = try carried.filter { write, signer in
      let replica = write.stamp.replica
      if replica.belongs(to: account.user, account.device) { return true }
      return try signer != account.user && writer(of: replica) == account.user
    }
    guard !foreign.isEmpty else { return nil }
    var disowned = content
    try disowned.change { document in
      for write in document.writes {
        guard let signer = foreign[CarriedWrite(write)],
          let again = document.disown(write, to: write.stamp.replica.disowned)
        else { continue }
        try setCarrier(signer, of: CarriedWrite(again), at: node.id)
      }
    }
    for write in foreign.keys { try forgetCarrier(of: write, at: node.id) }
    return disowned
  }

  /// Writes again, under a replica that is nobody's, all that others passed on in somebody's name: who did is about to be forgotten here, and
  /// then it would be that one's own.
  func disownCarried() throws {
    for row in try Row.fetchAll(db, sql: "SELECT DISTINCT c.node, l.node FROM carried c LEFT JOIN lists l USING (node)")
    {
      let (node, table): (NodeID, DocumentTable) = (row[0], (row[1] as NodeID?) == nil ? .todos : .lists)
      guard let content = try document(of: node, in: table) else { continue }
      var document = content.document
      let nobody = Replica.unbound(entropy)
      let carried = try carriedWrites(of: node)
      for write in document.writes where carried[CarriedWrite(write)] != nil {
        _ = document.disown(write, to: nobody)
      }
      try replaceContent(VersionedDocument(document, history: content.history), of: node, in: table)
    }
  }
}
