import CloudAPI
import Synchronization
import Testing

@testable import TodoCLI

/// What somebody who waits is told about the server.
struct WatchTests {
  @Test func aServerThatIsSilentIsMentionedOnceAndWhenItIsBack() {
    var reachability = Reachability()
    #expect(reachability.look(silence: .seconds(4), answers: 2) == nil)
    #expect(reachability.look(silence: .seconds(5), answers: 2)?.contains("does not answer") == true)
    #expect(reachability.look(silence: .seconds(9), answers: 2) == nil)
    // A request that was given up owes nothing any more, but is no answer.
    #expect(reachability.look(silence: .zero, answers: 2) == nil)
    #expect(reachability.lose() == nil)
    #expect(reachability.isGone)
    #expect(reachability.find() == "the server is there again")
    #expect(reachability.find() == nil)
    #expect(!reachability.isGone)
  }

  @Test func anAnswerEndsTheSilenceWithoutANewConnection() {
    var reachability = Reachability()
    _ = reachability.look(silence: .seconds(5), answers: 2)
    #expect(reachability.look(silence: .zero, answers: 3) == "the server is there again")
    #expect(reachability.lose()?.contains("cannot be reached") == true)
    #expect(reachability.look(silence: .seconds(5), answers: 3) == nil)
  }

  @Test func silenceIsTheTimeThatAnAnswerIsOwed() async throws {
    let server = SlowServer()
    let answers = AnswerClock(server)
    #expect(answers.silence == .zero)
    let request = CloudRequest(method: "GET", authority: "test", path: "/")
    async let response = answers.send(request)
    await server.isAsked()
    let first = answers.silence
    #expect(first > .zero)
    #expect(answers.silence > first && answers.answers == 0)
    server.answer()
    #expect(try await response.status == 200)
    #expect(answers.silence == .zero && answers.answers == 1)
    // What says nothing is no answer either when it ends.
    server.answer()
    await #expect(throws: CloudFailure.unreachable) { try await answers.stream(request) }
    #expect(answers.silence == .zero && answers.answers == 1)
  }

  @Test func pausesGrowAndEnd() {
    var backoff = Backoff.ofWatch
    var pauses: [Int64] = []
    for _ in 0..<12 {
      backoff.fail()
      let least = backoff.pause(0)
      #expect(backoff.pause(.max) >= least && backoff.pause(.max) < 2 * least)
      pauses.append(least)
    }
    #expect(pauses.prefix(4) == [250, 500, 1000, 2000])
    #expect(pauses.last == 30_000)
    backoff.succeed()
    #expect(backoff.failures == 0)
    #expect(Backoff(shortest: 1000, longest: .max, failures: .max).pause(0) > 0)
  }
}

/// Answers when it is told to; a stream never.
private final class SlowServer: CloudTransport, CloudStreaming {
  private let asked = AsyncStream.makeStream(of: Void.self)
  private let answers = AsyncStream.makeStream(of: Void.self)

  func isAsked() async { for await _ in asked.stream { return } }

  func answer() { answers.continuation.yield() }

  func send(_ request: CloudRequest) async throws -> CloudResponse {
    asked.continuation.yield()
    for await _ in answers.stream { break }
    return CloudResponse(status: 200)
  }

  func stream(_ request: CloudRequest) async throws -> CloudStream { throw CloudFailure.unreachable }
}
