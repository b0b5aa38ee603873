import Foundation

/// Runs every task of a simulated world on one thread, in an order that a seed decides, under virtual time.
///
/// While something can run, time stands still; when nothing can, it jumps to the next timer.
final class SimExecutor: TaskExecutor, @unchecked Sendable {
  private struct Timer {
    let time: Int64
    let order: Int
    let continuation: CheckedContinuation<Void, Never>
  }

  /// Milliseconds since 1970, as nobody's clock need show them.
  private(set) var now: Int64
  /// How many jobs ran.
  private(set) var jobs = 0
  private var ready: [UnownedJob] = []
  private var timers: [Timer] = []
  private var dice: Dice
  private var timerCount = 0
  private let thread = pthread_self()

  init(seed: UInt64, now: Int64) {
    dice = Dice(seed ^ 0xEC0)
    self.now = now
  }

  func enqueue(_ job: consuming ExecutorJob) {
    requireOwnThread()
    ready.append(UnownedJob(job))
  }

  /// What runs elsewhere would not replay.
  func requireOwnThread() {
    precondition(pthread_equal(thread, pthread_self()) != 0, "something escaped the simulation's thread")
  }

  /// Returns when so many virtual milliseconds have passed.
  func sleep(_ milliseconds: Int64) async {
    let time = now + max(0, milliseconds)
    await withCheckedContinuation { continuation in
      requireOwnThread()
      timerCount += 1
      let timer = Timer(time: time, order: timerCount, continuation: continuation)
      let index = timers.firstIndex { ($0.time, $0.order) < (timer.time, timer.order) } ?? timers.count
      timers.insert(timer, at: index)
    }
  }

  /// Starts a task that belongs to the world.
  func spawn(_ body: @escaping @Sendable () async -> Void) {
    Task(executorPreference: self) { await body() }
  }

  /// Runs until nothing is left to do, or so many jobs have run. Returns whether nothing was left.
  func run(jobLimit: Int) -> Bool {
    while jobs < jobLimit {
      if !ready.isEmpty {
        jobs += 1
        let index = dice.roll(ready.count)
        ready.swapAt(index, ready.count - 1)
        ready.removeLast().runSynchronously(on: asUnownedTaskExecutor())
      } else if let timer = timers.popLast() {
        now = max(now, timer.time)
        timer.continuation.resume()
      } else {
        return true
      }
    }
    return false
  }
}
