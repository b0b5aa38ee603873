import CloudAPI
import Hummingbird
import NIOCore
import NIOPosix

extension CloudResponder {
  /// Takes one part of a file as it comes. It is answered when all of it has come, whatever the answer is.
  func receive(_ request: Request, _ start: ContinuousClock.Instant) async throws -> Response {
    let ours = Self.request(request)
    let party = try await threads.runIfActive { cloud.party(of: ours) }
    guard let arrival = try await inTurn({ party }, { cloud.receive(ours) }) else {
      // Taken and not kept: whoever is still sending would not hear the answer.
      for try await _ in request.body {}
      return refused(ours, start)
    }
    // Where its sender goes away in between.
    defer { arrival.cancel() }
    for try await buffer in request.body {
      try await threads.runIfActive { arrival.take(Array(buffer.readableBytesView)) }
    }
    guard let response = try await inTurn({ party }, { arrival.finish() }) else { return refused(ours, start) }
    log(ours, response, ContinuousClock.now - start)
    return Self.response(response)
  }

  /// Answers with bytes: a file's are read while they are sent, as fast as they are taken.
  func open(_ request: Request, _ start: ContinuousClock.Instant) async throws -> Response {
    let ours = Self.request(request)
    guard let answer = try await inTurn(of: ours, { cloud.open(ours) }) else { return refused(ours, start) }
    guard let file = answer.file else {
      log(ours, answer.response, ContinuousClock.now - start)
      return Self.response(answer.response)
    }
    let body = ResponseBody(contentLength: file.range.count) { writer in
      defer { log(ours, answer.response, ContinuousClock.now - start) }
      var offset = file.range.lowerBound
      while offset < file.range.upperBound {
        let bytes = try await threads.runIfActive { [offset] in try file.bytes(at: offset) }
        try await writer.write(ByteBuffer(bytes: bytes))
        offset += UInt64(bytes.count)
      }
      try await writer.finish(nil)
    }
    var fields = answer.response.fields
    fields[.contentLength] = String(file.range.count)
    return Response(status: .init(code: answer.response.status), headers: fields, body: body)
  }

  /// The answer to what has no place among those that wait.
  private func refused(_ request: CloudRequest, _ start: ContinuousClock.Instant) -> Response {
    let response = cloud.response(to: Problem(.tooMany))
    log(request, response, ContinuousClock.now - start)
    return Self.response(response)
  }
}
