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
    guard environment("TODO_HOOK") == nil, access(path, X_OK) == 0 else { return nil }
  }

  /// Runs it with a line of JSON on standard input; what it prints goes to standard error. Returns what went wrong.
  func run(_ json: JSON, profile: String) -> String? {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return "cannot be started" }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    _ = fcntl(ends[1], F_SETFL, O_NONBLOCK)
    let process = start(input: ends[0], profile)
    close(ends[0])
    guard let process else {
      close(ends[1])
      return "cannot be started"
    }
    let end = now() + Self.patience
    write(Array((json.encoded + "\n").utf8)[...], to: ends[1], until: end)
    close(ends[1])
    return outcome(of: process, until: end)
  }

  private func start(input: Int32, _ profile: String) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    var attributes = posix_spawnattr_t()
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    var all = sigset_t()
    sigfillset(&all)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO)
    var arguments: [UnsafeMutablePointer<CChar>?] = [strdup(path), nil]
    var variables: [UnsafeMutablePointer<CChar>?] = [strdup("TODO_HOOK=1"), strdup("TODO_PROFILE=\(profile)")]
    let own = arguments + variables
    defer { for text in own { free(text) } }
    var index = 0
    while let variable = environ[index] {
      if strncmp(variable, "TODO_PROFILE=", 13) != 0 { variables.append(variable) }
      index += 1
    }
    variables.append(nil)
    var process: pid_t = 0
    return posix_spawn(&process, path, &actions, &attributes, &arguments, &variables) == 0 ? process : nil
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
        guard poll(&output, 1, Int32(max(0, end - now()))) > 0 else { return }
      } else if errno != EINTR {
        return
      }
    }
  }

  private func outcome(of process: pid_t, until end: Int64) -> String? {
    var status: Int32 = 0
    while true {
      let ended = waitpid(process, &status, WNOHANG)
      if ended == process { break }
      if ended < 0, errno != EINTR { return nil }
      if now() >= end {
        kill(process, SIGKILL)
        while waitpid(process, &status, 0) < 0, errno == EINTR {}
        return "took longer than \(Self.patience / 1000) seconds and was ended"
      }
      usleep(1000)
    }
    let code = (status >> 8) & 0xFF
    return status == 0
      ? nil : status & 0x7F != 0 ? "was ended by signal \(status & 0x7F)" : "failed with status \(code)"
  }

  private func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}
