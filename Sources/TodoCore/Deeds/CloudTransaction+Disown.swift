import CloudAPI
import GRDB
import Signing
import Treesystem

extension CloudTransaction {
  /// Writes again, under a replica that is nobody's, what bears this device's replica and came from others: whatever this device signs under its
  /// own replica is its own (spec §7.13). Nil where there is nothing of that kind.
  func disowned(_ content: VersionedDocument, of node: Node) throws -> VersionedDocument? {
    guard let account = try account() else { return nil }
    let foreign = try carriedWrites(of: node.id).filter {
      $0.key.stamp.replica.belongs(to: account.user, account.device)
    }
    // One that is greater than nearly all: of two writes at one time the one with the greater replica counts.
    guard !foreign.isEmpty, let nobody = Replica(bytes: [0xFF] + entropy.bytes(Replica.length - 1)) else { return nil }
    var disowned = content
    try disowned.change { document in
      for write in document.writes {
        guard let signer = foreign[CarriedWrite(write)], let again = document.disown(write, to: nobody) else {
          continue
        }
        try setCarrier(signer, of: CarriedWrite(again), at: node.id)
      }
    }
    for write in foreign.keys { try forgetCarrier(of: write, at: node.id) }
    return disowned
  }
}
