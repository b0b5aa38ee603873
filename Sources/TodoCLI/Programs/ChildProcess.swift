import Glibc

/// A program that this one has started, and waits for.
struct ChildProcess {
  let id: pid_t

  /// How a program ended.
  enum End: Equatable {
    case status(Int32)
    case signal(Int32)

    fileprivate init(_ status: Int32) {
      self = status & 0x7F == 0 ? .status((status >> 8) & 0xFF) : .signal(status & 0x7F)
    }

    /// `failed with status 1`; nil where it ended well.
    var words: String? {
      switch self {
      case .status(0): nil
      case .status(127): "failed with status 127: it was not found"
      case .status(let status): "failed with status \(status)"
      case .signal(let signal): "was ended by signal \(signal)"
      }
    }
  }

  /// Starts a program, in which no signal is ignored. Nil where the system does not let us.
  /// - Parameters:
  ///   - files: which of its descriptors are which of ours; the others are ours.
  ///   - variables: of its environment, in place of ours of those names.
  init?(_ path: String, _ arguments: [String], files: [(its: Int32, ours: Int32)], variables: [String: String] = [:]) {
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
    for file in files { posix_spawn_file_actions_adddup2(&actions, file.ours, file.its) }
    let words = arguments.map { strdup($0) }
    let named = variables.map { strdup("\($0.key)=\($0.value)") }
    defer { for text in words + named { free(text) } }
    var id: pid_t = 0
    guard
      posix_spawn(&id, path, &actions, &attributes, words + [nil], named + Self.inherited(without: variables) + [nil])
        == 0
    else { return nil }
    self.id = id
  }

  /// A command line of the shell.
  static func shell(
    _ command: String, _ arguments: [String] = [], files: [(its: Int32, ours: Int32)], variables: [String: String] = [:]
  ) -> ChildProcess? {
    ChildProcess("/bin/sh", ["sh", "-c", command] + arguments, files: files, variables: variables)
  }

  private static func inherited(without names: [String: String]) -> [UnsafeMutablePointer<CChar>?] {
    var variables: [UnsafeMutablePointer<CChar>?] = []
    var index = 0
    while let variable = environ[index] {
      let name = String(cString: variable).prefix { $0 != "=" }
      if names[String(name)] == nil { variables.append(variable) }
      index += 1
    }
    return variables
  }

  /// Waits for its end.
  func wait() -> End {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0, errno == EINTR {}
    return End(status)
  }

  /// The same until a time of `milliseconds`; nil where it goes on then.
  func wait(until end: Int64) -> End? {
    var status: Int32 = 0
    while true {
      let ended = waitpid(id, &status, WNOHANG)
      if ended == id { return End(status) }
      if ended < 0, errno != EINTR { return .status(0) }
      if Self.milliseconds >= end { return nil }
      usleep(1000)
    }
  }

  /// Ends it, and says how it ended.
  @discardableResult func end(with signal: Int32) -> End {
    kill(id, signal)
    return wait()
  }

  /// Ends it with all that it has started and that is still below it.
  func endAll() {
    // Stopped first, so that it starts nothing while it is looked through.
    kill(id, SIGSTOP)
    for child in Self.children(of: id) { kill(child, SIGKILL) }
    end(with: SIGKILL)
  }

  /// The processes below one, also those of its children.
  private static func children(of id: pid_t) -> [pid_t] {
    guard let file = fopen("/proc/\(id)/task/\(id)/children", "r") else { return [] }
    defer { fclose(file) }
    var bytes = [CChar](repeating: 0, count: 65_536)
    let count = fread(&bytes, 1, bytes.count, file)
    let ids = String(decoding: bytes.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self).split(separator: " ")
      .compactMap { pid_t($0) }
    return ids.flatMap { child in
      kill(child, SIGSTOP)
      return children(of: child) + [child]
    }
  }

  /// A clock that nobody sets.
  static var milliseconds: Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }
}

/// A pipe; neither end is inherited by what is started, except as one of its own files.
struct ProcessPipe {
  let output: Int32
  let input: Int32

  /// Nil where too much is open.
  init?() {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { return nil }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    (output, input) = (ends[0], ends[1])
  }
}
