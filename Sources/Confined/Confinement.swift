private import CConfine
private import Glibc

/// Why a process is not confined.
public enum ConfinementError: Error {
  /// libseccomp is not installed.
  case libraryMissing
  /// The system refused a limit.
  case refused
}

/// Takes from a process what it could do beside computing: whoever breaks a decoder has its memory, and two pipes.
public enum Confinement {
  /// `RLIMIT_NPROC`, which glibc shows to GNU sources only.
  private static let processes = __rlimit_resource(6)

  /// What a decoder calls: its pipes, its memory, its end, and what the C library does beside them. None opens, connects or starts anything.
  private static let calls: [Int32] = [
    SYS_read, SYS_write, SYS_close, SYS_fstat, SYS_newfstatat, SYS_lseek, SYS_mmap, SYS_munmap, SYS_mremap,
    SYS_mprotect, SYS_brk, SYS_madvise, SYS_futex, SYS_getrandom, SYS_clock_gettime, SYS_sched_yield,
    SYS_rt_sigprocmask, SYS_rt_sigaction, SYS_rt_sigreturn, SYS_getpid, SYS_gettid, SYS_tgkill, SYS_exit,
    SYS_exit_group,
  ]

  /// Bounds memory and time, for good, and closes what whoever started it forgot to close. It may still load libraries.
  /// - Parameters:
  ///   - memory: bytes of address space.
  ///   - seconds: of a processor.
  public static func bound(memory: Int, seconds: Int) throws(ConfinementError) {
    try limit(RLIMIT_AS, memory)
    try limit(RLIMIT_CPU, seconds)
    try limit(RLIMIT_CORE, 0)
    for descriptor in 3..<Int32(4096) { close(descriptor) }
    // A thread of libdispatch's that started it has most signals blocked.
    var none = sigset_t()
    unsafe sigemptyset(&none)
    unsafe sigprocmask(SIG_SETMASK, &none, nil)
  }

  /// From here on it opens nothing, makes no file longer, starts nobody and calls nothing of the system that is not listed; for good.
  public static func finish() throws(ConfinementError) {
    guard let library = unsafe confine_library() else { throw .libraryMissing }
    guard confine_no_new_privileges() == 0, confine_no_files() == 0 else { throw .refused }
    try limit(RLIMIT_NOFILE, 0)
    try limit(RLIMIT_FSIZE, 0)
    try limit(processes, 0)
    guard unsafe confine_calls(library, calls, calls.count) == 0 else { throw .refused }
  }

  private static func limit(_ resource: __rlimit_resource, _ value: Int) throws(ConfinementError) {
    var limit = rlimit()
    guard unsafe getrlimit(Int32(resource.rawValue), &limit) == 0 else { throw .refused }
    // A lower one than ours stays.
    let most = min(limit.rlim_max, rlim_t(value))
    limit = rlimit(rlim_cur: most, rlim_max: most)
    guard unsafe setrlimit(Int32(resource.rawValue), &limit) == 0 else { throw .refused }
  }
}
