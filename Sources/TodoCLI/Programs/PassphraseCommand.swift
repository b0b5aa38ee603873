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
    let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
    guard nothing >= 0, let pipe = ProcessPipe() else { throw failed("cannot be started") }
    // Standard input is empty; what goes wrong is told on standard error.
    let process = ChildProcess.shell(
      text, files: [(its: STDIN_FILENO, ours: nothing), (its: STDOUT_FILENO, ours: pipe.input)],
      variables: ["TODO_PROFILE": profile])
    close(nothing)
    close(pipe.input)
    defer { close(pipe.output) }
    guard let process else { throw failed("cannot be started") }
    guard let output = read(pipe.output, until: ChildProcess.milliseconds + Int64(Self.patience)) else {
      process.end(with: SIGTERM)
      throw failed("does not end, or prints too much")
    }
    if let words = process.wait().words { throw failed(words) }
    return Array(output.prefix { $0 != 0x0A })
  }

  /// Nil where it takes too long, or is too much.
  private func read(_ descriptor: Int32, until end: Int64) -> [UInt8]? {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: Self.limit)
    while bytes.count <= Self.limit {
      var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let ready = poll(&input, 1, Int32(max(0, end - ChildProcess.milliseconds)))
      if ready < 0, errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let count = Glibc.read(descriptor, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += buffer[..<count] } else if errno != EINTR { return nil }
    }
    return nil
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
