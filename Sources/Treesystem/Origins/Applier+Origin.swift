import CloudAPI
import Sealing
import Signing

extension Applier {
  /// What the app is told of a node: of one that a message was taken out to, what that says. Nil: its sender's keyring has to be asked for first.
  func content(of opened: OpenedNode, at node: Node) throws -> NodeData? {
    if opened.header.recipient != nil {
      if let record = try transaction.headerRecord(of: opened.header.cloudID, in: node.branch) {
        let origin = try Origin(record, secret: opened.key.secret, sealed: opened.sealed)
        try transaction.keep(origin, of: node.id, isChecked: true)
      }
      return opened.content
    }
    guard opened.metadata.hasOrigin else { return opened.content }
    let file = opened.content.file
    let origin = try Origin(opened.metadata.origin, sealed: opened.content.message)
    let message = try origin.open(at: node.cloudID, of: identity.user, with: file)
    // When it goes is its sender's word.
    try transaction.setExpiry(origin.header.expiry, of: node.id)
    let isChecked = try origin.isSigned(by: transaction.keyring(origin.header.author.user))
    try transaction.keep(origin, of: node.id, isChecked: isChecked)
    return isChecked ? NodeData(message: message, file: file) : nil
  }
}
