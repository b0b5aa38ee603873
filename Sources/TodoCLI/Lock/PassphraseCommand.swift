import Glibc

/// The command of the settings that prints a profile's passphrase, for scripts and for machines without somebody.
struct PassphraseCommand {
  let text: String
  /// The profile's name, which it finds in `TODO_PROFILE`.
  let profile: String

  /// Who is asked for something meanwhile has so long, in milliseconds.
  private static let patience: Int32 = 60_000
  private static let limit = 4096

  /// The first line that it prints.
  func run() throws(Complaint) -> [UInt8] {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw failed("cannot be started") }
    for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { close(ends[0]) }
    let process = start(output: ends[1])
    close(ends[1])
    guard let process else { throw failed("cannot be started") }
    let output = read(ends[0], until: now() + Int64(Self.patience))
    if output == nil { kill(process, SIGTERM) }
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
    guard let output else { throw failed("does not end, or prints too much") }
    guard status == 0 else { throw failed(Self.words(status)) }
    return Array(output.prefix { $0 != 0x0A })
  }

  /// Standard input is empty; what goes wrong is told on standard error.
  private func start(output: Int32) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    let words: [String] = ["sh", "-c", text]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var variables: [UnsafeMutablePointer<CChar>?] = [strdup("TODO_PROFILE=\(profile)")]
    let own = variables[0]
    defer { free(own) }
    var index = 0
    while let variable = environ[index] {
      if strncmp(variable, "TODO_PROFILE=", 13) != 0 { variables.append(variable) }
      index += 1
    }
    variables.append(nil)
    var process: pid_t = 0
    return posix_spawn(&process, "/bin/sh", &actions, nil, &arguments, &variables) == 0 ? process : nil
  }

  /// Nil where it takes too long, or is too much.
  private func read(_ descriptor: Int32, until end: Int64) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: Self.limit)
    while bytes.count <= Self.limit {
      var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&input, 1, Int32(max(0, end - now())))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += buffer[..<count] } else if errno != EINTR { return nil }
    }
    return nil
  }

  private func now() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// How a program ended that did not end well.
  private static func words(_ status: Int32) -> String {
    let signal = status & 0x7F
    if signal != 0 { return "was ended by signal \(signal)" }
    let code = (status >> 8) & 0xFF
    return "failed with status \(code)\(code == 127 ? ": it was not found" : "")"
  }

  /// Names what ran, and never what it printed.
  func failed(_ what: String) -> Complaint {
    Complaint(
      "passphrase_command", .notPermitted, "the command for the passphrase \(what)",
      hint:
        "it is '\(Complaint.shortened(text))': try it by itself; 'todo unlock' asks for the passphrase instead, 'todo config passphrase-command off' forgets it"
    )
  }
}
