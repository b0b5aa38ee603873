import Glibc

/// A program of one's own that hears of changes: an executable in the folder `hooks` beside the settings.
struct Hook {
  enum Event: String {
    /// Todos were added here.
    case add = "on-add"
    /// Todos or lists were changed here in another way.
    case change = "on-change"
    /// Changes of others, or of one's other devices, have come.
    case arrival = "on-arrival"
  }

  let path: String

  /// How long it may take, in milliseconds: commands wait for it.
  private static let patience: Int64 = 10_000

  /// Nil where there is none, and within a hook: one that changes something would never end.
  init?(_ event: Event, home: String) {
    path = "\(home)/hooks/\(event.rawValue)"
    guard environment("TODO_HOOK") == nil, access(path, F_OK) == 0 else { return nil }
  }

  /// Runs it with a line of JSON on standard input; what it prints goes to standard error. Returns what went wrong.
  func run(_ json: JSON, profile: String) -> String? {
    guard access(path, X_OK) == 0 else { return "cannot be executed: chmod +x \(shellQuoted(path))" }
    guard let pipe = ProcessPipe() else { return "cannot be started" }
    _ = fcntl(pipe.input, F_SETFL, O_NONBLOCK)
    let process = ChildProcess(
      path, [path], files: [(its: STDIN_FILENO, ours: pipe.output), (its: STDOUT_FILENO, ours: STDERR_FILENO)],
      variables: ["TODO_HOOK": "1", "TODO_PROFILE": profile])
    close(pipe.output)
    let end = ChildProcess.milliseconds + Self.patience
    if process != nil { write(Array((json.encoded + "\n").utf8)[...], to: pipe.input, until: end) }
    close(pipe.input)
    guard let process else { return "cannot be started" }
    if let ended = process.wait(until: end) { return ended.words }
    process.endAll()
    return "took longer than \(Self.patience / 1000) seconds and was ended"
  }

  /// It need not read what it does not want to know.
  private func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32, until end: Int64) {
    var rest = bytes
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        var output = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        guard poll(&output, 1, Int32(max(0, end - ChildProcess.milliseconds))) > 0 else { return }
      } else if errno != EINTR {
        return
      }
    }
  }
}
