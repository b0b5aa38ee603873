#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The last line of a server that a fault of its own ends: without it the log would just stop.
///
/// Between a trap and the end only a few system calls are safe: no Swift value is made there, no lock taken, no memory asked for. A thread whose
/// stack has run out ends without the line.
enum FaultNote {
  /// What a trap of Swift's, a wrong address and `abort` end as.
  private static let faults = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

  /// From now on. Swift's own backtraces are over: the runtime would start a program for them that it looks for below the folder one stands in.
  static func begin() {
    for fault in faults {
      signal(fault) { number in
        let line: StaticString = """
          todo-server: error: stopped by a fault of its own
          todo-server: hint: please report it, with what stands above; start it again, nothing was lost

          """
        _ = unsafe write(STDERR_FILENO, line.utf8Start, line.utf8CodeUnitCount)
        // As if nobody had been here: the system says which signal it was, and keeps a core where it is told to.
        _ = signal(number, SIG_DFL)
        raise(number)
      }
    }
  }
}
