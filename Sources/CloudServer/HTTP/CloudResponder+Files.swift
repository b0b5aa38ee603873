import CloudAPI
import Hummingbird
import NIOCore
import NIOPosix

extension CloudResponder {
  /// Takes one part of a file as it comes. It is answered when all of it has come, whatever the answer is.
  func receive(_ request: Request, _ start: ContinuousClock.Instant) async throws -> Response {
    let ours = Self.request(request)
    let arrival = try await threads.runIfActive { cloud.receive(ours) }
    // Where its sender goes away in between.
    defer { arrival.cancel() }
    for try await buffer in request.body {
      try await threads.runIfActive { arrival.take(Array(buffer.readableBytesView)) }
    }
    let response = try await threads.runIfActive { arrival.finish() }
    log(ours, response, ContinuousClock.now - start)
    return Self.response(response)
  }

  /// Answers with bytes: a file's are read while they are sent, as fast as they are taken.
  func open(_ request: Request, _ start: ContinuousClock.Instant) async throws -> Response {
    let ours = Self.request(request)
    let answer = try await threads.runIfActive { cloud.open(ours) }
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
}
