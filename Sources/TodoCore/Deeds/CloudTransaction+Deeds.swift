import CloudAPI
import GRDB
import Signing
public import Treesystem

/// Attribution per write (spec §7.13).
extension CloudTransaction {
  /// Returns whose deed a write of a node's document is.
  public func deed(of register: Register, at node: NodeID) throws -> Deed {
    if Defect.signerShown.isPlanted { return Deed(try self.node(node)?.author) }
    let via = Defect.carrierForgotten.isPlanted ? nil : try carrier(of: register, at: node)
    let user = try writer(of: register.stamp.replica, via: via)
    if user != nil || via != nil { return Deed(user, via: via) }
    // From before replicas were anybody's: whoever signed last vouches for it.
    guard let signer = try self.node(node)?.author, try signer != account()?.user else { return Deed(nil) }
    return Deed(nil, via: signer)
  }

  /// Remembers of each write that a version brought whether its writer's device signed that version.
  /// - Parameters:
  ///   - remote: the version, which `node` says who signed; without a device it is content of this one's own, as `content(of:)` gives it.
  ///   - before: what was here.
  ///   - after: what is here from now on.
  func noteWriters(in remote: Document, from before: Document?, to after: Document, at node: Node) throws {
    guard let signer = node.author, let account = try account() else { return }
    var own: [Replica: Bool] = [:]
    func isOwn(_ replica: Replica) throws -> Bool {
      if let known = own[replica] { return known }
      let (user, device) = node.device.map { (signer, $0) } ?? (account.user, account.device)
      if replica.belongs(to: user, device) {
        try setWriter(user, of: replica)
      } else {
        try findWriter(of: replica, at: node)
      }
      // Six bytes follow from the device, and whoever computes for weeks finds one that gives the replica of somebody else.
      let isOwn = try replica.belongs(to: user, device) && writer(of: replica) == user
      own[replica] = isOwn
      return isOwn
    }
    let carried = before == nil ? [:] : try carriedWrites(of: node.id)
    let known = Set(before?.writes ?? [])
    for register in remote.writes where after.holds(register) {
      let write = CarriedWrite(register)
      if known.contains(register), carried[write] == nil { continue }
      if try isOwn(register.stamp.replica) {
        if carried[write] != nil { try forgetCarrier(of: write, at: node.id) }
      } else if !known.contains(register),
        !known.contains(where: { carried[CarriedWrite($0)] == nil && register.isDisowned($0) })
      {
        try setCarrier(signer, of: write, at: node.id)
      }
    }
    let kept = Set(after.writes.map(CarriedWrite.init))
    for write in carried.keys where !kept.contains(write) { try forgetCarrier(of: write, at: node.id) }
  }

  /// True where this very device signed the version that is handed over.
  func isSignedHere(_ node: Node) throws -> Bool {
    guard let device = node.device, let account = try account() else { return false }
    return node.author == account.user && device == account.device
  }
}

extension Register {
  /// True where this is another write, passed on by who did not vouch for it.
  fileprivate func isDisowned(_ write: Register) -> Bool {
    field == write.field && value == write.value && stamp.replica == write.stamp.replica.disowned
  }
}

extension Document {
  /// All that is written in it.
  var writes: [Register] { registers + elements }

  /// True where the very same write stands here.
  func holds(_ write: Register) -> Bool { self[write.field] == write || elements.contains(write) }
}
