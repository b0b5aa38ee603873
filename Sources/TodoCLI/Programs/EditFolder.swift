import Glibc

/// A folder for the file that an editor has open, and for what editors leave beside it.
///
/// It lies in memory where the system has a place for that, and goes when the command ends. A command that was killed leaves it to the next
/// one: whoever edits holds a lock on it.
final class EditFolder {
  let path: String
  private let descriptor: Int32

  /// - Parameter isSealed: whether nothing of the profile may lie on the disk.
  init(_ profile: Profile, isSealed: Bool) throws(Complaint) {
    let places = Self.places(of: profile)
    // Twice: somebody may have removed a place just after it was made.
    for place in places + places where place.isMemory || !isSealed {
      if let made = place.whole({ Self.make(in: place.path) }, isMade: true) ?? nil {
        (path, descriptor) = made
        return
      }
    }
    throw Complaint(
      "cannot_write", .cannotWrite, "there is no place for the file that the editor opens",
      hint: "say what to change in options: 'todo help edit'; or give this machine /dev/shm")
  }

  deinit {
    Self.remove(path, descriptor)
    close(descriptor)
    rmdir(String(path[..<(path.lastIndex(of: "/") ?? path.endIndex)]))
  }

  /// Removes what commands left that have ended. False where one still has its editor open.
  @discardableResult static func clear(_ profile: Profile) -> Bool {
    places(of: profile).reduce(true) { isClear, place in
      guard let isGone = place.whole({ clear(place.path) }, isMade: false) else { return isClear }
      if isGone { rmdir(place.path) }
      return isClear && isGone
    }
  }

  private static func clear(_ place: String) -> Bool {
    entries(of: place).reduce(true) { isClear, name in
      let path = "\(place)/\(name)"
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { return (errno == ENOENT || unlink(path) == 0) && isClear }
      defer { close(descriptor) }
      guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return false }
      remove(path, descriptor)
      return isClear
    }
  }

  /// What `mkdtemp` puts a name of its own in place of.
  private static let unnamed = String(repeating: "X", count: 6)

  private static func make(in place: String) -> (String, Int32)? {
    var name = Array((place + "/" + Self.unnamed).utf8CString)
    guard mkdtemp(&name) != nil else { return nil }
    let path = String(decoding: name.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
      close(descriptor)
      return nil
    }
    return (path, descriptor)
  }

  private static func remove(_ path: String, _ descriptor: Int32) {
    for name in entries(of: path) where unlinkat(descriptor, name, 0) != 0 {
      let below = openat(descriptor, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard below >= 0 else { continue }
      remove("\(path)/\(name)", below)
      close(below)
    }
    rmdir(path)
  }

  /// A folder of one profile's, in memory or beside it.
  private struct Place {
    let path: String
    let isMemory: Bool

    /// Runs `body` while nobody else makes or clears something here. Nil where there is no such place, or it is not ours alone.
    func whole<Result>(_ body: () -> Result, isMade: Bool) -> Result? {
      if isMade { mkdir(path, 0o700) }
      let descriptor = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      var facts = stat()
      guard fstat(descriptor, &facts) == 0, facts.st_uid == geteuid(), facts.st_mode & 0o077 == 0,
        !isMemory || isMemory(facts.st_dev), flock(descriptor, LOCK_EX) == 0
      else { return nil }
      return body()
    }

    /// Whether a device is a file system in memory, as proc_pid_mountinfo(5) tells it.
    private func isMemory(_ device: dev_t) -> Bool {
      guard let mounts = try? TextFile(path: "/proc/self/mountinfo").read() else { return false }
      // As makedev(3) packs them.
      let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xFFF00)
      return mounts.split(separator: "\n").contains { line in
        let words = line.split(separator: " ")
        guard words.count > 2, words[2] == "\(major):\(minor)", let dash = words.firstIndex(of: "-") else {
          return false
        }
        return ["tmpfs", "ramfs"].contains(words[words.index(after: dash)])
      }
    }
  }

  private static func places(of profile: Profile) -> [Place] {
    var facts = stat()
    guard stat(profile.directory, &facts) == 0 else { return [] }
    let name = "todo-edit-\(facts.st_dev)-\(facts.st_ino)"
    let session = environment("XDG_RUNTIME_DIR").flatMap { $0.hasPrefix("/") ? $0 : nil }
    let folders = [session, "/run/user/\(geteuid())", "/dev/shm"]
    return folders.compactMap { $0.map { Place(path: "\($0)/\(name)", isMemory: true) } }
      + [Place(path: profile.directory + "/edit", isMemory: false)]
  }
}

/// The names of what lies in a folder; none where it cannot be read.
func entries(of path: String) -> [String] {
  guard let folder = opendir(path) else { return [] }
  defer { closedir(folder) }
  var names: [String] = []
  while let entry = readdir(folder) {
    let name = withUnsafePointer(to: &entry.pointee.d_name) {
      $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
    }
    if name != ".", name != ".." { names.append(name) }
  }
  return names.sorted()
}
