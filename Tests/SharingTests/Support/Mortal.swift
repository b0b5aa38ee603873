import CloudAPI
import Foundation
import Sharing
import TestSupport
import TodoCore
import Treesystem

/// What goes wrong once in a story, at the `number`th occasion.
struct Mishap: Sendable {
  enum Kind: Sendable, CaseIterable {
    /// A request that changes something does not arrive, or its answer does not; people try again. A sync that ends where it reads is
    /// what `killedAfterStep` is, with less to go on.
    case requestLost, replyLost
    /// The program is killed while a request is on its way, or its answer.
    case killedBeforeRequest, killedAfterRequest
    /// The program is killed when a step of a sync is on disk, and before the next.
    case killedAfterStep
  }
  let kind: Kind
  let number: Int
  /// How many occasions there were.
  let occasions = Locked(0)

  func isNow() -> Bool {
    occasions.with { occasions in
      occasions += 1
      return occasions == number
    }
  }
}

/// A person whose program may be killed: it starts again with what was on disk at that moment.
final class Mortal {
  private let world: World
  private let mishap: Mishap
  private(set) var name: String
  private(set) var device: Device
  private let isDead = Locked(false)

  init(_ name: String, in world: World, _ mishap: Mishap) throws {
    self.world = world
    self.mishap = mishap
    self.name = name
    // A page that is read ahead would be on its way while the profile is copied.
    device = try world.device(name, pageLines: 4, readsAhead: false)
    lurk()
  }

  /// Syncs once. Returns whether it came to its end.
  @discardableResult
  func sync() async throws -> Bool {
    let (mishap, die) = (mishap, death())
    do {
      _ = try await device.session.sync { _ in
        if mishap.kind == .killedAfterStep, mishap.isNow() { die() }
      }
    } catch CloudFailure.unreachable {
      try rise()
      return false
    }
    return try !rise()
  }

  /// Syncs until it comes to its end.
  func insist() async throws {
    for _ in 0..<3 where try await sync() { return }
    throw CloudFailure.unreachable
  }

  private func lurk() {
    let (mishap, die) = (mishap, death())
    device.transport.setFate { request in
      let isBatch = request.path == Route.batch.path
      switch mishap.kind {
      case .requestLost: return !request.isReading && mishap.isNow() ? .lost : .delivered
      case .replyLost: return isBatch && mishap.isNow() ? .replyLost : .delivered
      case .killedBeforeRequest, .killedAfterRequest:
        guard isBatch, mishap.isNow() else { return .delivered }
        die()
        return mishap.kind == .killedAfterRequest ? .replyLost : .lost
      case .killedAfterStep: return .delivered
      }
    }
  }

  /// What keeps the profile as it is on disk now; from then on nothing of this program reaches the server.
  private func death() -> @Sendable () -> Void {
    let (path, transport, isDead) = (device.path, device.transport, isDead)
    return {
      for suffix in ["", "-wal"] {
        try? FileManager.default.copyItem(atPath: path + suffix, toPath: Self.grave(path) + suffix)
      }
      transport.setFate { _ in .lost }
      isDead.with { $0 = true }
    }
  }

  private static func grave(_ path: String) -> String { path.replacingOccurrences(of: ".db", with: "-again.db") }

  /// Starts the program again if it was killed.
  @discardableResult
  private func rise() throws -> Bool {
    guard isDead.with({ $0 }) else { return false }
    isDead.with { $0 = false }
    name += "-again"
    device = try world.device(name, pageLines: 4, readsAhead: false)
    lurk()
    return true
  }
}
