import Glibc

/// A profile: one person's lists on this machine. Several people, or tests, can use one machine.
struct Profile: Equatable {
  let name: String
  let directory: String
  /// The folder of all profiles, and of what holds for all of them.
  let home: String

  /// The settings.
  var config: ConfigFile { ConfigFile(path: home + "/config.toml") }

  /// The database of the profile.
  var database: String { directory + "/todo.db" }

  /// The profile that the option, the environment, or nobody named.
  /// - Parameters:
  ///   - environment: looks up a variable.
  ///   - accountHome: where the machine keeps what is this user's, if the environment does not say it.
  init(
    named option: String?, environment: (String) -> String?, accountHome: () -> String? = Profile.accountHome
  ) throws(Complaint) {
    let name = option ?? environment("TODO_PROFILE").flatMap { $0.isEmpty ? nil : $0 } ?? "default"
    let allowed = Set("abcdefghijklmnopqrstuvwxyz0123456789_-")
    guard (1...32).contains(name.count), name.allSatisfy(allowed.contains) else {
      throw .usage(
        "'\(name)' is no profile name", hint: "use up to 32 of the characters a-z, 0-9, '-' and '_'")
    }
    self.name = name
    home = try Self.home(environment, accountHome)
    directory = home + "/profiles/" + name
  }

  private static func home(_ environment: (String) -> String?, _ accountHome: () -> String?) throws(Complaint) -> String
  {
    func set(_ name: String) throws(Complaint) -> String? {
      guard let value = environment(name), !value.isEmpty else { return nil }
      // What is not UTF-8 was replaced, and would be another folder.
      if value.unicodeScalars.contains("\u{FFFD}") {
        throw Complaint(
          "no_home", .cannotWrite, "\(name) is not UTF-8", hint: "set TODO_HOME to a folder whose path is")
      }
      return value
    }
    if let home = try set("TODO_HOME") { return home }
    if let data = try set("XDG_DATA_HOME") { return data + "/todo" }
    if let home = try set("HOME") ?? accountHome() { return home + "/.local/share/todo" }
    throw Complaint(
      "no_home", .cannotWrite, "there is no HOME to keep your lists in", hint: "set TODO_HOME to a folder")
  }

  /// Whether it is there, and nothing can be written beside it.
  var isReadOnly: Bool { access(database, R_OK) == 0 && access(directory, W_OK) != 0 }

  /// Where the machine keeps what is this user's: timers and services often start programs without HOME.
  static func accountHome() -> String? {
    guard let home = getpwuid(geteuid())?.pointee.pw_dir.map({ String(cString: $0) }), home.hasPrefix("/") else {
      return nil
    }
    return access(home, X_OK) == 0 ? home : nil
  }

  /// Makes the folder, readable by nobody else, where it does not exist.
  func makeDirectory() throws(Complaint) { try make(directory) }

  /// Makes the folder of all profiles, likewise.
  func makeHome() throws(Complaint) { try make(home) }

  private func make(_ directory: String) throws(Complaint) {
    var path = ""
    for part in directory.split(separator: "/", omittingEmptySubsequences: true) {
      let parent = path.isEmpty ? (directory.hasPrefix("/") ? "/" : ".") : path
      path += (path.isEmpty && !directory.hasPrefix("/") ? "" : "/") + part
      if mkdir(path, 0o700) == 0 {
        let code = keepEntries(ofFolder: parent)
        if code != 0 {
          rmdir(path)
          throw cannotMake(directory, code)
        }
      } else if errno != EEXIST, errno != EISDIR {
        throw cannotMake(directory, errno)
      }
    }
    if access(directory, W_OK | X_OK) != 0 { throw cannotMake(directory, errno) }
  }

  private func cannotMake(_ directory: String, _ code: Int32) -> Complaint {
    Complaint(
      "cannot_write", code == EIO ? .disk : .cannotWrite,
      "cannot write in \(directory): \(String(cString: strerror(code)))",
      hint: "make the folder writable, or set TODO_HOME to another")
  }
}
