import CConfine
import Glibc

/// What no fault of this program may lead to.
enum Hardening {
  /// What a trap of Swift's, a wrong address and `abort` end as, and what somebody asks for at the keyboard.
  private static let faults = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGQUIT]

  /// From now on a fault ends the process and nothing else: Swift's runtime would start a `swift-backtrace` that it looks for below the
  /// folder one stands in. Keys in memory get into no file, and no other process of the same user reads them.
  static func begin() {
    for fault in faults where !isIgnored(fault) { signal(fault, SIG_DFL) }
    _ = confine_undumpable()
  }

  /// Whether whoever started this wants it to go on.
  private static func isIgnored(_ number: Int32) -> Bool {
    var action = sigaction()
    sigaction(number, nil, &action)
    return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }
}
