private import Glibc

/// Starts a program that reads what may be hostile from standard input and writes what it makes of it to standard output: this program again,
/// with a command that confines itself. So what is wrong in a library ends there: the child has no file, no key and no network.
public struct ConfinedProcess: Sendable {
  private let program: String
  private let arguments: [String]
  /// Milliseconds; whoever does not answer until then is ended.
  private let patience: Int64

  /// - Parameters:
  ///   - program: its path.
  ///   - patience: the milliseconds after which it is ended.
  public init(program: String, arguments: [String], patience: Int64) {
    (self.program, self.arguments, self.patience) = (program, arguments, patience)
  }

  /// What one child writes, and its status as `waitpid` gives it. Nil for more than `limit` bytes, for one that was ended for its slowness, and
  /// for one that fails; the status is nil if none could be started.
  public func answer(to input: [UInt8], limit: Int) -> (output: [UInt8]?, status: Int32?) {
    var inputs: [Int32] = [0, 0]
    var outputs: [Int32] = [0, 0]
    // Closed in whatever is started meanwhile from the beginning: a child waits for its input's last end to be closed.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &inputs) == 0 else { return (nil, nil) }
    guard unsafe socketpair(AF_UNIX, kind, 0, &outputs) == 0 else {
      for end in inputs { close(end) }
      return (nil, nil)
    }
    defer { close(outputs[0]) }
    let child = start(input: inputs[1], output: outputs[1])
    for end in [inputs[1], outputs[1]] { close(end) }
    // It reads everything before it writes anything, so neither waits for the other.
    if child != nil { send(input, inputs[0]) }
    close(inputs[0])
    guard let child else { return (nil, nil) }
    let output = read(outputs[0], limit: limit)
    if output == nil { kill(child, SIGKILL) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    return (status == 0 ? output : nil, status)
  }

  /// Whether a child that ended so may have been unlucky: one that a signal ended which is not that of its limits, or of ours.
  public static func mayBeAskedAgain(_ status: Int32?) -> Bool {
    status.map { ![0, SIGKILL, SIGXCPU].contains($0 & 0x7F) } ?? false
  }

  /// The number with which a child has ended itself; nil for another end.
  public static func exitCode(_ status: Int32?) -> Int? {
    status.flatMap { $0 & 0x7F == 0 ? Int($0 >> 8 & 0xFF) : nil }
  }

  /// Sends as much as it takes; that something is missing shows in what comes back.
  private func send(_ bytes: [UInt8], _ socket: Int32) {
    var patience = timeval(tv_sec: Int(self.patience / 1000), tv_usec: 0)
    unsafe setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes {
        // A child that has ended is no reason to be ended by a signal.
        unsafe Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return }
      rest = rest.dropFirst(count)
    }
  }

  private func start(input: Int32, output: Int32) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    var texts = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
    // Where libraries are is all that it needs to know.
    let libraries = unsafe getenv("LD_LIBRARY_PATH").map { unsafe "LD_LIBRARY_PATH=\(String(cString: $0))" }
    var variables = unsafe libraries.map { unsafe [strdup($0), nil] } ?? [nil]
    defer {
      for index in unsafe texts.indices { unsafe free(texts[index]) }
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    var process: pid_t = 0
    return unsafe posix_spawn(&process, program, &actions, nil, &texts, &variables) == 0 ? process : nil
  }

  /// Everything up to the end; nil if that does not come, or only after more bytes.
  private func read(_ descriptor: Int32, limit: Int) -> [UInt8]? {
    let end = ContinuousClock.now + .milliseconds(patience)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Whoever does not want the answer any more is not kept waiting for it.
      guard !Task.isCancelled, ContinuousClock.now < end else { return nil }
      let ready = unsafe poll(&input, 1, 100)
      if ready == 0 || ready < 0 && errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let got = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if got == 0 { return bytes }
      if got > 0 { bytes += buffer[..<got] } else if errno != EINTR { return nil }
    }
    return nil
  }
}
