import CloudAPI
import TodoCore
import Treesystem

/// An image that was wanted, and did not come or was not believed.
struct FileTrouble {
  let reason: Refusal
  /// Nil where the todo is gone.
  let todo: Todo?

  var json: JSON {
    [
      "short_id": .text(todo?.shortID), "title": .text(todo?.title), "reason": .string(reason.rawValue),
    ]
  }
}

extension CloudTransaction {
  /// What a transfer could not fetch, with the todos that it is of.
  func namedTroubles(_ report: TransferReport) throws -> [FileTrouble] {
    try report.troubles.sorted { $0.key < $1.key }.map { node, reason in
      FileTrouble(reason: reason, todo: try self.node(node)?.parent.flatMap { try todo($0) })
    }
  }
}

extension Complaint {
  /// Of so many, of which this is the first.
  init(_ trouble: FileTrouble, of count: Int) {
    let image = trouble.todo.map { "the image of '\(Self.shortened($0.title))'" } ?? "an image"
    let more = count == 1 ? "" : ", nor \(counted(count - 1, "other"))"
    let isMissing = [.contentMissing, .notFound].contains(trouble.reason)
    self.init(
      isMissing ? "image_missing" : "not_verified", isMissing ? .tryAgain : .notVerified,
      "\(image) did not come\(more) (\(trouble.reason.rawValue))",
      hint: "nothing of it was believed; it is tried again with every sync")
  }
}
