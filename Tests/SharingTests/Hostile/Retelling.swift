import CloudAPI
import CloudServer
import Foundation
import Lies
import Signing
import SwiftProtobuf
import TestSupport

@testable import Treesystem

extension Retelling {
  /// What the server really has after a reader's cursor.
  init(of branch: CloudID, to reader: Device, in world: World) throws {
    guard
      let cursor = try reader.database.read({ transaction in
        try transaction.branch(branch).flatMap { try transaction.cursor(of: $0) }
      })
    else { throw TreeError.noSuchNode }
    let request = WirePullRequest.with {
      $0.branch = data(branch.bytes)
      $0.afterLine = cursor.line
      $0.afterHash = data(cursor.hash.bytes)
    }
    let answer = world.cloud.handle(try reader.signed(.pull, in: world, encode(request)))
    try self.init(decode(WirePage.self, answer.body), after: cursor)
  }
}

extension HostileServer {
  /// Tells a reader another history of a branch than the true one.
  func tell(_ retelling: Retelling) {
    let page = retelling.page
    let start = retelling.cursor.line
    let lie = Lies.Lie(branch: retelling.branch)
    self.lie { request, response in
      let answer = lie.head(response, to: request) { head in
        head.line = page.headLine
        head.logHash = page.headHash
        head.denied = false
      }
      guard request.path == Route.pull.path, let asked = try? decode(WirePullRequest.self, request.body),
        Array(asked.branch) == lie.branch.bytes, asked.afterLine == start
      else { return answer }
      return .told(page)
    }
  }
}
