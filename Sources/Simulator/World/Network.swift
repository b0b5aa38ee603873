import CloudAPI
import Foundation

/// What the way between a device and the server is like, in times out of a thousand.
struct Weather {
  /// The request never arrives.
  var lost = 0
  /// The server acts, and the answer never comes.
  var replyLost = 0
  /// The request arrives a second time, later.
  var doubled = 0
  /// The request arrives, but after its sender has given up.
  var late = 0
  /// The longest ordinary delay, in milliseconds.
  var delay = 40

  static let calm = Weather()
  static let rough = Weather(lost: 60, replyLost: 80, doubled: 80, late: 40, delay: 900)
  static let storm = Weather(lost: 200, replyLost: 250, doubled: 200, late: 150, delay: 9000)
  static let offline = Weather(lost: 1000)
}

/// Carries requests between devices and the server, and watches what passes.
final class Network: @unchecked Sendable {
  /// How long a client waits for an answer.
  static let patience: Int64 = 30_000
  /// More requests than any sync of so small a world needs.
  static let requestLimit = 400

  weak var world: World?
  let traffic = TrafficWatch()
  private let executor: SimExecutor
  private var dice: Dice
  private(set) var requests = 0

  init(executor: SimExecutor, seed: UInt64) {
    self.executor = executor
    dice = Dice(seed)
  }

  func send(_ request: CloudRequest, from device: SimDevice, _ process: Int) async throws -> CloudResponse {
    let response = try await carry(request, from: device, process)
    if !isHostile(device) { traffic.answered(request, response, on: device) }
    return response
  }

  private func carry(
    _ request: CloudRequest, from device: SimDevice, _ process: Int
  ) async throws -> CloudResponse {
    executor.requireOwnThread()
    guard let world, device.machine.isAlive(process) else { throw CloudFailure.unreachable }
    requests += 1
    device.requests += 1
    if device.requests > Self.requestLimit { throw SimFailure.endlessSync }
    world.oracle.checkSecrecy(request.body, "a request", in: world)
    if !isHostile(device) { traffic.sent(request, by: device.programs[process]?.value, on: device, in: world) }
    world.liar?.hear(request, from: device)
    let weather = world.isHostile ? device.weather : .calm
    if dice.chance(weather.lost) {
      await executor.sleep(Self.patience)
      throw CloudFailure.unreachable
    }
    if dice.chance(weather.late) {
      deliverLater(request, after: Self.patience + Int64(dice.roll(30_000)))
      await executor.sleep(Self.patience)
      throw CloudFailure.unreachable
    }
    if dice.chance(weather.doubled) { deliverLater(request, after: Int64(dice.roll(20_000))) }
    await executor.sleep(Int64(dice.roll(weather.delay)))
    let program = device.programs[process]?.value
    let response = world.liar.map { $0.answer(request, of: device, program) } ?? world.server.handle(request)
    guard let response, !dice.chance(weather.replyLost) else {
      await executor.sleep(response == nil && dice.chance(500) ? 5 : Self.patience)
      throw CloudFailure.unreachable
    }
    world.oracle.checkSecrecy(response.body, "an answer", in: world)
    let told = world.liar?.tell(request, response, to: device) ?? response
    await executor.sleep(Int64(dice.roll(weather.delay)))
    guard device.machine.isAlive(process) else { throw CloudFailure.unreachable }
    return told
  }

  /// Whether the device's owner changes what is in their own database: no rule binds what they send.
  private func isHostile(_ device: SimDevice) -> Bool { world?.hostileMember?.owns(device) ?? false }

  private func deliverLater(_ request: CloudRequest, after delay: Int64) {
    executor.spawn { [self] in
      await executor.sleep(delay)
      _ = world?.server.handle(request)
    }
  }
}

/// What only a simulation can find wrong.
enum SimFailure: Error {
  case endlessSync
}

/// A process's way to the server.
struct SimTransport: CloudTransport, CloudStreaming, @unchecked Sendable {
  let network: Network
  let device: SimDevice
  let process: Int

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    try await network.send(request, from: device, process)
  }

  /// An answer as it comes; streams that do not end have no place in a simulation.
  func stream(_ request: CloudRequest) async throws -> CloudStream {
    let response = try await send(request)
    let (chunks, writer) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
    writer.yield(response.body)
    writer.finish()
    return CloudStream(status: response.status, headers: response.headers, chunks: chunks)
  }
}
