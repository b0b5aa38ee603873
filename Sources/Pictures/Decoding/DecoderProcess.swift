private import Glibc

/// Decodes in a process of its own: this program again, with a command that calls `DecoderChild.run()`. So what a hostile picture does to a
/// decoder ends there: the child has no file, no key and no network, and a limit on memory and time.
public struct DecoderProcess: PictureDecoder {
  private let program: String
  private let arguments: [String]
  /// Whoever does not answer is ended.
  private static let patience: Int64 = 2 * Int64(PictureLimits.seconds) * 1000

  /// The path of a program, and the arguments with which it runs `DecoderChild`; the child gets the side as one more.
  public init(program: String, arguments: [String]) {
    self.program = program
    self.arguments = arguments
  }

  /// A child that died of a signal may have been unlucky: another one is asked, once. Whoever took too long would do so again.
  public func bitmap(of picture: Picture, fitting side: Int) throws(PictureError) -> Bitmap {
    let (bitmap, status) = try answer(picture, fitting: side)
    if let bitmap { return bitmap }
    guard ![0, SIGKILL, SIGXCPU].contains(status & 0x7F) else { throw DecoderChild.fault(of: status) }
    let (second, end) = try answer(picture, fitting: side)
    guard let second else { throw DecoderChild.fault(of: end) }
    return second
  }

  /// What one child says, and how it ended.
  func answer(_ picture: Picture, fitting side: Int) throws(PictureError) -> (Bitmap?, status: Int32) {
    var inputs: [Int32] = [0, 0]
    var outputs: [Int32] = [0, 0]
    // Closed in whatever is started meanwhile from the beginning: a child waits for its input's last end to be closed.
    let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    guard unsafe socketpair(AF_UNIX, kind, 0, &inputs) == 0 else { throw .decoderEnded }
    guard unsafe socketpair(AF_UNIX, kind, 0, &outputs) == 0 else {
      for end in inputs { close(end) }
      throw .decoderEnded
    }
    defer { close(outputs[0]) }
    let child = start(input: inputs[1], output: outputs[1], side: side)
    for end in [inputs[1], outputs[1]] { close(end) }
    // It reads everything before it writes anything, so neither waits for the other.
    if child != nil { send(picture.withoutMetadata(), inputs[0]) }
    close(inputs[0])
    guard let child else { throw .decoderEnded }
    let size = picture.size(fitting: side)
    let pixels = read(outputs[0], count: 4 * size.width * size.height)
    if pixels == nil { kill(child, SIGKILL) }
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    guard status == 0 else { return (nil, status) }
    guard let pixels, let bitmap = Bitmap(width: size.width, height: size.height, pixels: pixels) else {
      throw .decoderEnded
    }
    return (bitmap, status)
  }

  /// Sends as much as it takes; that something is missing shows in what comes back.
  private func send(_ bytes: [UInt8], _ socket: Int32) {
    var patience = timeval(tv_sec: Int(Self.patience / 1000), tv_usec: 0)
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

  private func start(input: Int32, output: Int32, side: Int) -> pid_t? {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, STDIN_FILENO)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
    unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
    let words = [program] + arguments + ["\(side)"]
    var texts = unsafe words.map { unsafe strdup($0) } + [nil]
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

  /// So many bytes and no more; nil if they do not come.
  private func read(_ descriptor: Int32, count: Int) -> [UInt8]? {
    let end = ContinuousClock.now + .milliseconds(Self.patience)
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= count {
      var input = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      // Whoever does not want the picture any more is not kept waiting for it.
      guard !Task.isCancelled, ContinuousClock.now < end else { return nil }
      let ready = unsafe poll(&input, 1, 100)
      if ready == 0 || ready < 0 && errno == EINTR { continue }
      guard ready > 0 else { return nil }
      let got = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if got == 0 { break }
      if got > 0 { bytes += buffer[..<got] } else if errno != EINTR { return nil }
    }
    return bytes.count == count ? bytes : nil
  }
}

/// The process that `DecoderProcess` starts: reads a picture from standard input, and writes its pixels to standard output. It has to be
/// called before anything starts a thread: every descriptor is closed, and threads of the runtime use some.
public enum DecoderChild {
  private static let faults: [PictureError] = [.pixelsDamaged, .libraryMissing]

  /// Decodes, and returns the status with which to exit. It gives up what the process may do, for good.
  public static func run(fitting side: Int) -> Int32 {
    do {
      try Confinement.bound()
      _ = try GD.loaded()
      try Confinement.finish()
      try write(DirectDecoder().bitmap(of: Picture(try readAll()), fitting: side).pixels)
      return 0
    } catch {
      return faults.firstIndex(of: error).map { Int32($0) + 1 } ?? Int32(faults.count) + 1
    }
  }

  /// What a child's end says; the status is that of `waitpid`.
  static func fault(of status: Int32) -> PictureError {
    let code = Int(status >> 8 & 0xFF)
    return status & 0x7F == 0 && faults.indices.contains(code - 1) ? faults[code - 1] : .decoderEnded
  }

  private static func readAll() throws(PictureError) -> [UInt8] {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    while bytes.count <= PictureLimits.fileSize {
      let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
      if count == 0 { return bytes }
      if count > 0 { bytes += buffer[..<count] } else if errno != EINTR { throw .decoderEnded }
    }
    throw .fileTooLarge
  }

  private static func write(_ bytes: [UInt8]) throws(PictureError) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(STDOUT_FILENO, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw .decoderEnded }
      rest = rest.dropFirst(count)
    }
  }
}
