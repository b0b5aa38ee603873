import Signing
import TodoCore

/// A new node under an id that lives in another branch, its root's included.
struct IdentityMutation: Mutation {
  let name = "cloudID"

  func change(_ forge: Forge) throws -> String? {
    guard let put = try forge.pick(where: { $0.isNew && !$0.isRoot }),
      let id = try forge.foreignID(except: put.branch)
    else { return nil }
    try forge.rename(put, to: id)
    return "\(put.words) is \("\(id)".prefix(6))"
  }
}
