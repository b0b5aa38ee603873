/// Lets each section be fetched once at a time, however many want it. The fetch ends when nobody wants it any more.
actor FetchDesk {
  typealias Watcher = @Sendable (UInt64, UInt64) -> Void

  private struct Fetch {
    let number: Int
    let task: Task<Void, any Error>
    var watchers: [Int: Watcher]
  }

  private var fetches: [SectionName: Fetch] = [:]
  private var tickets = 0

  /// Runs `body`, unless it runs for this section already: then waits for that. `watching` is told how far it is.
  func run(
    _ name: SectionName, _ body: @escaping @Sendable (@escaping Watcher) async throws -> Void,
    watching watcher: @escaping Watcher
  ) async throws {
    tickets += 1
    let ticket = tickets
    let task = join(name, ticket, watcher) ?? begin(name, ticket, watcher, body)
    try await withTaskCancellationHandler {
      try await task.value
    } onCancel: {
      Task { await self.leave(name, ticket) }
    }
    try Task.checkCancellation()
  }

  private func join(_ name: SectionName, _ ticket: Int, _ watcher: @escaping Watcher) -> Task<Void, any Error>? {
    fetches[name]?.watchers[ticket] = watcher
    return fetches[name]?.task
  }

  private func begin(
    _ name: SectionName, _ ticket: Int, _ watcher: @escaping Watcher,
    _ body: @escaping @Sendable (@escaping Watcher) async throws -> Void
  ) -> Task<Void, any Error> {
    let task = Task {
      defer { end(name, ticket) }
      try await body { done, total in Task { await self.tell(name, done, total) } }
    }
    fetches[name] = Fetch(number: ticket, task: task, watchers: [ticket: watcher])
    return task
  }

  private func tell(_ name: SectionName, _ done: UInt64, _ total: UInt64) {
    for watcher in (fetches[name]?.watchers ?? [:]).values { watcher(done, total) }
  }

  /// Somebody does not want it any more.
  private func leave(_ name: SectionName, _ ticket: Int) {
    guard fetches[name]?.watchers.removeValue(forKey: ticket) != nil, fetches[name]?.watchers.isEmpty == true else {
      return
    }
    // Nobody joins it any more: whoever asks next did not cancel anything.
    fetches.removeValue(forKey: name)?.task.cancel()
  }

  private func end(_ name: SectionName, _ number: Int) {
    if fetches[name]?.number == number { fetches[name] = nil }
  }
}
