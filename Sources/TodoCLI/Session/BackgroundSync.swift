import CloudAPI
import Glibc
import Sharing
import Treesystem

/// A sync that goes on by itself: a process of its own without a terminal, which nobody has to wait for.
struct BackgroundSync {
  private let process: pid_t

  /// Starts one for a profile. Nil where the system does not let us: then the change goes with the next one.
  init?(profile: Profile) {
    guard let program = Self.program() else { return nil }
    var attributes = posix_spawnattr_t()
    var actions = posix_spawn_file_actions_t()
    posix_spawnattr_init(&attributes)
    posix_spawn_file_actions_init(&actions)
    defer {
      posix_spawnattr_destroy(&attributes)
      posix_spawn_file_actions_destroy(&actions)
    }
    Self.detach(&attributes, &actions)
    let words = ["todo", "sync", "--background", "--profile", profile.name]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process: pid_t = 0
    guard posix_spawn(&process, program, &actions, &attributes, &arguments, environ) == 0 else { return nil }
    self.process = process
  }

  /// Waits so many milliseconds at most. Whether it has ended, and has synced.
  func hasSynced(within limit: Int) -> Bool {
    let end = ContinuousClock.now + .milliseconds(limit)
    var status: Int32 = 0
    while waitpid(process, &status, WNOHANG) == 0 {
      if ContinuousClock.now >= end { return false }
      usleep(1000)
    }
    return status == 0
  }

  /// Whether it has not ended.
  var isRunning: Bool {
    var status: Int32 = 0
    return waitpid(process, &status, WNOHANG) == 0
  }

  /// No terminal whose interrupts would reach it, no file that somebody else waits to see closed, no signal that is ignored.
  private static func detach(_ attributes: inout posix_spawnattr_t, _ actions: inout posix_spawn_file_actions_t) {
    var none = sigset_t()
    var all = sigset_t()
    sigemptyset(&none)
    sigfillset(&all)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setflags(&attributes, Int16(setSession | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
    for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
      posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
    }
    for descriptor in inherited() { posix_spawn_file_actions_addclose(&actions, descriptor) }
  }

  /// `POSIX_SPAWN_SETSID`, which glibc shows to GNU sources only.
  private static let setSession: Int32 = 0x80

  /// What whoever started us has open and lets its children have: pipes and locks that they mean for others.
  private static func inherited() -> [Int32] {
    guard let folder = opendir("/proc/self/fd") else { return [] }
    defer { closedir(folder) }
    var descriptors: [Int32] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      guard let descriptor = Int32(name), descriptor > STDERR_FILENO else { continue }
      if fcntl(descriptor, F_GETFD) & FD_CLOEXEC == 0 { descriptors.append(descriptor) }
    }
    return descriptors
  }

  /// This very program, wherever it was found.
  static func program() -> String? {
    var path = [CChar](repeating: 0, count: 4096)
    let count = readlink("/proc/self/exe", &path, path.count - 1)
    guard count > 0 else { return nil }
    let found = path[..<count].withUnsafeBufferPointer { String(decoding: UnsafeRawBufferPointer($0), as: UTF8.self) }
    // It was replaced while it ran: the name leads nowhere, the link still does.
    return access(found, X_OK) == 0 ? found : "/proc/self/exe"
  }
}

extension Session {
  /// Starts a sync that nobody waits for, if there is a server to sync with and nothing speaks against it.
  func startBackgroundSync() -> BackgroundSync? {
    guard !isReadOnly, options.sync != false, config.backgroundSync, (try? read { try $0.mayBeSynced() }) == true else {
      return nil
    }
    return BackgroundSync(profile: profile)
  }

  /// What the process that was started does: syncs, and again while others want that; tells only the log.
  func syncInBackground() async {
    let log = SyncLog(folder: profile.directory)
    do {
      // Whoever comes while this runs leaves word. The bound is for a world in which somebody always does.
      for _ in 0..<100 {
        guard try read({ try $0.mayBeSynced() }) else { return }
        let start = ContinuousClock.now
        guard let report = try await withCloud({ try await $0.syncUnlessBusy() }) else {
          Glibc.exit(Exit.tryAgain.rawValue)
        }
        log.write(report, ContinuousClock.now - start)
        runArrivalHook()
        if try read({ try $0.wantsAnotherSync() }) { continue }
        // What was sent is listed by another sync, and somebody may have added more meanwhile.
        guard try await transferUnlessBusy() else { return }
      }
    } catch {
      let complaint = Complaint(error)
      log.write("failed: \(complaint.kind)")
      Glibc.exit(complaint.exit.rawValue)
    }
  }
}

extension CloudTransaction {
  /// Whether there is an account, and its server is not given a rest.
  fileprivate func mayBeSynced() throws -> Bool { try account() != nil && mayContactServer() }
}
