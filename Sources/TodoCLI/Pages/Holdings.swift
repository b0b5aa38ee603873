import Glibc

/// What is kept on this device.
struct Holdings {
  let profile: Profile
  /// Of the profile's files.
  let bytes: Int64
  let lists: Int
  let open: Int
  let done: Int
  let trash: Int
  let files: FileHoldings

  /// `12 open, 3 done and 1 in the trash on 2 lists, 160 KB`
  var summary: String {
    let inTrash = trash == 0 ? "" : ", \(trash) in the trash"
    return "\(counted(lists, "list")) with \(open) open, \(done) done\(inTrash) · \(shortSize(bytes))"
  }

  var json: JSON {
    [
      "profile": .string(profile.name), "directory": .string(profile.directory), "bytes": .int(bytes),
      "lists": .int(Int64(lists)), "open": .int(Int64(open)), "done": .int(Int64(done)), "trash": .int(Int64(trash)),
      "files": files.json,
    ]
  }
}

/// `512 bytes`, `160 KB`, `1.2 MB`
func shortSize(_ bytes: Int64) -> String {
  switch bytes {
  case ..<1000: return "\(bytes) bytes"
  case ..<1_000_000: return "\((bytes + 500) / 1000) KB"
  default:
    let tenths = (bytes + 50_000) / 100_000
    return "\(tenths / 10).\(tenths % 10) MB"
  }
}

extension Profile {
  /// The paths of what lies in the folder.
  var files: [String] { entries(of: directory).map { "\(directory)/\($0)" } }

  /// How many bytes the files in the folder have.
  var size: Int64 { files.reduce(0) { $0 + (facts(of: $1)?.size ?? 0) } }
}

/// The mode and size of a file, unless it cannot be asked.
func facts(of path: String) -> (mode: mode_t, size: Int64, owner: uid_t)? {
  var facts = stat()
  guard lstat(path, &facts) == 0 else { return nil }
  return (facts.st_mode, Int64(facts.st_size), facts.st_uid)
}
