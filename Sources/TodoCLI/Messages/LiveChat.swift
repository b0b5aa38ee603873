import Dispatch
import Glibc
import Sharing
import Signing
import Synchronization
import TodoCore
import Treesystem

/// A conversation as it goes on: what is typed is sent, what comes stands above the line that is being typed.
final class LiveChat: WatchScreen {
  private struct State {
    var line = TypedLine()
    var shown: Set<PostID>
    /// Those said here of which nobody knows yet whether they go.
    var waiting: Set<PostID> = []
    /// Whether the row below is the one that is typed.
    var isDrawn = false
  }

  /// So many messages at once can come between two looks.
  static let lookback = 1000

  private let session: Session
  private let people: [Person]
  private let state: Mutex<State>

  private init(_ session: Session, _ people: [Person], known: [Post]) {
    self.session = session
    self.people = people
    state = Mutex(State(shown: Set(known.map(\.id))))
  }

  /// Goes on until an empty line, Ctrl-D or Ctrl-C. What was said last goes on its way then.
  /// - Parameter known: what was there when the page above was shown.
  static func run(_ session: Session, _ account: Account, _ people: [Person], known: [Post]) async throws {
    let (cloud, answers) = try session.cloud(at: account.server)
    let chat = LiveChat(session, people, known: known)
    let watch = Watch(session: session, account: account, cloud: cloud, answers: answers, screen: chat)
    let terminal = TerminalKeys { chat.draw() }
    let (keys, before) = (terminal.bytes, terminal.before)
    defer { terminal.end() }
    _ = try await Interruption.of(
      { try await chat.run(watch, keys) },
      orElse: {
        TerminalKeys.restore(before)
        _ = session.startBackgroundSync()
      })
    chat.clear()
    try chat.leave()
  }

  /// The watch is over, and with it what sends.
  private func leave() throws {
    try tellRefusals()
    let unsent = state.withLock { $0.waiting.count }
    if unsent == 0 { return }
    session.voice.note(
      "\(counted(unsent, "message")) of yours \(unsent == 1 ? "is" : "are") on the way ('todo status')")
    _ = session.startBackgroundSync()
  }

  private func run(_ watch: Watch, _ keys: AsyncStream<[UInt8]>) async throws {
    draw()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await watch.run() }
      group.addTask { [self] in
        for await bytes in keys where try !type(bytes) { return }
      }
      try await group.next()
      group.cancelAll()
    }
  }

  /// Takes what was typed. False: that is all.
  private func type(_ bytes: [UInt8]) throws -> Bool {
    for byte in bytes {
      switch state.withLock({ $0.line.take(byte) }) {
      case .changed: break
      case .entered(let text): try send(text)
      // An empty line among others was pasted with them, and is no word that it is over.
      case .ended where bytes.count > 1: break
      case .ended: return false
      }
    }
    draw()
    return true
  }

  /// The watch sends it with its next look.
  private func send(_ text: String) throws {
    do {
      let post = try session.database.write { try $0.say(text, to: people) }
      state.withLock { _ = $0.waiting.insert(post) }
    } catch let error where error is PostError || error is ShareError {
      note(Complaint(error).message)
    }
    _ = try tellNews()
  }

  func tellNews() throws -> Bool {
    let posts = try session.read { try $0.chat(with: people, limit: Self.lookback).posts }
    let new = state.withLock { state in
      let new = posts.filter { !state.shown.contains($0.id) }
      state.shown.formUnion(new.map(\.id))
      return new
    }
    if !new.isEmpty {
      let named = try session.read { try $0.named(new) }
      clear()
      for var message in named {
        // What was just typed is on its way.
        message.ways = []
        _ = try session.voice.tell(line: { [message] in message.lines($0).joined(separator: "\n") }, json: message.json)
      }
      try session.database.write { try $0.markRead(new) }
      draw()
    }
    try tellRefusals()
    return !session.voice.isReaderGone
  }

  /// Says of what was said here that it does not go, once that is known.
  private func tellRefusals() throws {
    let waiting = state.withLock { $0.waiting }
    if waiting.isEmpty { return }
    let posts = try session.read { transaction in
      try transaction.named(waiting.compactMap { try transaction.post($0) })
    }
    let settled = posts.filter { $0.ways.allSatisfy { $0.delivery != .queued } }
    state.withLock { $0.waiting.subtract(settled.map(\.post.id)) }
    for post in settled.sorted(by: { $0.post.sent < $1.post.sent }) {
      guard let complaint = Complaint(undelivered: post.ways) else { continue }
      note("'\(Complaint.shortened(post.post.text))': \(complaint.message)")
    }
  }

  func note(_ text: String) {
    clear()
    session.voice.note(text)
    draw()
  }

  private func draw() {
    let row = state.withLock { state in
      state.isDrawn = true
      return state.line.row(columns: session.voice.columns)
    }
    session.voice.show(row: row)
  }

  private func clear() {
    let isDrawn = state.withLock { state in
      defer { state.isDrawn = false }
      return state.isDrawn
    }
    if isDrawn { session.voice.clearRow() }
  }
}

/// What is typed on a terminal, key by key and not shown by it.
private struct TerminalKeys {
  let bytes: AsyncStream<[UInt8]>
  /// How the terminal was.
  let before: termios
  private let source: any DispatchSourceRead
  private let returns: any DispatchSourceSignal

  /// - Parameter draw: called when the program goes on after it was stopped, as Ctrl-Z does: the shell has had the terminal meanwhile.
  init(draw: @escaping @Sendable () -> Void) {
    var settings = termios()
    tcgetattr(STDIN_FILENO, &settings)
    before = settings
    settings.c_lflag &= ~tcflag_t(ECHO | ICANON)
    let raw = settings
    Self.restore(raw)
    returns = DispatchSource.makeSignalSource(signal: SIGCONT, queue: .global())
    returns.setEventHandler {
      Self.restore(raw)
      draw()
    }
    returns.resume()
    let (bytes, keys) = AsyncStream.makeStream(of: [UInt8].self)
    self.bytes = bytes
    source = DispatchSource.makeReadSource(fileDescriptor: STDIN_FILENO, queue: .global())
    source.setEventHandler {
      var buffer = [UInt8](repeating: 0, count: 1024)
      let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
      if count > 0 { keys.yield(Array(buffer[..<count])) } else if count == 0 || errno != EINTR { keys.finish() }
    }
    source.resume()
  }

  /// Reads no more, and gives the terminal back.
  func end() {
    returns.cancel()
    source.cancel()
    Self.restore(before)
  }

  /// Has the terminal be like this.
  static func restore(_ settings: termios) {
    var settings = settings
    tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
  }
}
