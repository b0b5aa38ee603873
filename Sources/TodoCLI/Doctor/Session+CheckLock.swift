import Treesystem

extension Session {
  /// What opened the profile, where no more can be examined.
  func checkOpenLock() -> Check {
    var check = Check("lock", lock.words)
    check.isOpen = lock == .open
    return check
  }

  /// The passphrase and its file; and that nothing lies with a locked database that is not locked with it.
  func checkLock() throws -> Check {
    if lock == .open { return checkOpenLock() }
    let strangers = profile.strangers
    let stray = try ProfileSeal(path: profile.database).strayBytes { try read { try $0.pageCount() } }
    var (found, advice): ([String], [String]) = ([lock.words], lock.advice.map { [$0] } ?? [])
    if !strangers.isEmpty {
      found.append("\(strangers.joined(separator: ", ")) beside it \(strangers.count == 1 ? "is" : "are") not locked")
      advice.append("look at what is no part of the profile, and move it away: \(profile.directory)")
    }
    if stray > 0 {
      found.append("\(counted(stray, "byte")) behind the end of todo.db \(stray == 1 ? "is" : "are") none of its own")
      advice.append("something else wrote into todo.db; nothing reads it, and 'todo lock --remove' refuses such a file")
    }
    if advice.isEmpty { return Check("lock", lock.words) }
    let isKeyless = lock.advice != nil
    return Check("lock", found.joined(separator: "; "), .init(exit: isKeyless ? .disk : .notVerified, advice: advice))
  }
}

extension Profile {
  /// The names of what lies in the folder and is no part of a profile.
  var strangers: [String] {
    let own = ["", "-wal", "-shm", ".key", ".lock", ".sync", ".transfer", ".fetch", ".files"].map { "todo.db\($0)" }
    return files.map { String($0.dropFirst(directory.count + 1)) }
      .filter { !(own + ["sync.log", "sync.log.1"]).contains($0) && !$0.hasPrefix("todo.db.key.old") }
  }
}
