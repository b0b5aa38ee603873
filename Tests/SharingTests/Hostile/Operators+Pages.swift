import CloudAPI
import Foundation
import Lies
import Signing
import TestSupport
import Testing

extension Operator {
  static let pages: [Operator] = PageLie.all.map { lie in
    Operator(lie.name, lie.defence, [lie.record: lie.end]) { scene, _ in
      // Permissions, Milk as "soy milk" (its row was superseded), Milk as "oat milk", and "Bread".
      try await scene.stage.writeFourLines()
      let branch = scene.branch
      scene.server.lie { request, response in
        Lie(branch: branch).page(response, to: request) { _ = lie.change(&$0, at: lie.place) }
      }
      // Nor does the server give out by itself what the page got wrong.
      scene.server.lie { request, response in
        guard case .content? = Route(method: request.method, path: request.path) else { return response }
        return CloudResponse(status: 200, headers: response.headers, body: [0])
      }
      // What was read past comes with the node's next version.
      guard lie.end.after == .mends else { return }
      scene.mend = { scene in
        try scene.mallory.tick("Bread")
        try await scene.mallory.sync()
      }
    }
  }
}

extension Stage {
  func writeFourLines() async throws {
    guard try await send(Hand(mallory, on: branch).permit { _ in }) == "accepted" else { throw CloudFailure.nonsense }
    try await mallory.sync()
    try mallory.edit("Milk", to: "soy milk")
    try await mallory.sync()
    try mallory.edit("soy milk", to: "oat milk")
    try await mallory.sync()
    try mallory.add("Groceries", "Bread")
    try await mallory.sync()
  }
}
