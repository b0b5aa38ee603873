import CloudAPI
import Foundation
import Sealing
import Signing
import SwiftProtobuf

extension Sealer {
  /// How a header lists a node's file: as the one before did; anew, where this device has sent it; and else borrowed from a node that has it.
  func list(
    _ file: NodeFile, of node: Node, after before: HeaderBody?, _ put: inout WirePut
  ) throws -> ContentReference {
    if let carried = before?.content(.data), before?.lists(file) == true { return carried }
    if try !transaction.isOnItsWay(node.id), let lender = try transaction.lender(of: file, to: node) {
      put.borrowed.append(
        .with {
          $0.content = data(file.content.bytes)
          $0.branch = data(lender.branch.bytes)
          $0.cloudID = data(lender.cloudID.bytes)
        })
    }
    return ContentReference(
      file: file.layout, content: file.content, device: identity.device, root: file.root)
  }
}

extension HeaderBody {
  /// Whether it lists this file, and not another one under its content id; of nil, whether it lists none.
  func lists(_ file: NodeFile?) -> Bool {
    let listed = content(.data).flatMap { $0.file == nil ? nil : $0 }
    return listed?.content == file?.content && listed?.hash == file?.root
  }
}

extension CloudTransaction {
  /// The header of a node that has a file, according to the server: this very node in the branch that it leaves, or another one.
  fileprivate func lender(of file: NodeFile, to node: Node) throws -> HeaderBody? {
    for departure in try departures(of: node.id) {
      if let header = try lending(file, departure.cloudID, in: departure.branch) { return header }
    }
    // Of what was taken out of the inbox the message itself, which waits there until this has arrived.
    if let origin = try origin(of: node.id), origin.header.lists(file) { return origin.header }
    for other in try nodes(with: file) where other.id != node.id {
      if let header = try other.cloudID.flatMap({ try lending(file, $0, in: other.branch) }) { return header }
    }
    return nil
  }

  private func lending(_ file: NodeFile, _ cloudID: CloudID, in branch: BranchID) throws -> HeaderBody? {
    guard let header = try state(of: cloudID, in: branch)?.header, header.lists(file) else { return nil }
    return header
  }
}
