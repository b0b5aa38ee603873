import CloudAPI
import Lies
import Sharing
import Signing
import TestSupport
import Testing
import Treesystem

/// What an event stream says. It is a reason to pull and nothing to believe, so whatever it says shows nothing that is not true.
extension Operator {
  static let events: [Operator] =
    EventLie.all.map { lie in
      Operator(lie.name, nil, [.event: lie.end]) { scene, _ in
        try await scene.hear()
        scene.server.write(lie)
        // However often it says something: nobody pulls what they have.
        scene.check = { scene in
          let requests = scene.carol.transport.traffic.with { $0.count { $0.request.path == Route.heads.path } }
          #expect(requests <= 2, "it syncs for nothing")
        }
      }
    } + [
      Operator("stream of a version to come", .protocolVersion, [.event: .ends(.serverNewer)]) { scene, _ in
        try await scene.hear()
        scene.server.lie { request, response in
          var response = response
          if request.path == Route.events.path { AnswerLie.version.change(&response, now: 0) }
          return response
        }
      }
    ]
}

extension Scene {
  /// Mallory adds Bread, and carol does nothing but listen: she pulls when she hears of something that she does not have.
  fileprivate func hear() async throws {
    // She listens on another device as well, and has asked about the list there.
    let others = try await carol.session.events(over: carol.transport)
    try await carol.sync()
    try await write(.header)
    _ = try await findTruth()
    carol.transport.clearTraffic()
    carol.transport.setStreams { [$0] }
    act = { device in
      defer { withExtendedLifetime(others) {} }
      var report = SyncReport()
      for try await events in try await device.session.events(over: device.transport) {
        let isBehind = try device.database.read { transaction in
          try events.contains { try transaction.isBehind($0) }
        }
        if isBehind { report = try await device.sync() }
      }
      return report
    }
  }
}
