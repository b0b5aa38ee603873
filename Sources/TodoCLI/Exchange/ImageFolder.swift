import Formats
import Glibc
import TodoCore

/// Where the images of an exported file lie: `backup.images` beside `backup.json`, one folder a todo, each image under its own name.
struct ImageFolder {
  let path: String

  init(beside file: String) {
    let isNamed = file.lowercased().hasSuffix(".json") && file.utf8.count > 5
    path = (isNamed ? String(file.dropLast(5)) : file) + ".images"
  }

  /// Where an image lies that a file names: `<id>/sauce.png`. Nil for a name that would lead anywhere else.
  func file(_ name: String) -> String? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.hasPrefix(".") }) else { return nil }
    let (folder, file) = ("\(path)/\(parts[0])", "\(path)/\(name)")
    return [path, folder, file].contains(where: isLink) ? nil : file
  }

  /// A file of somebody else's making must not have us read what is ours.
  private func isLink(_ path: String) -> Bool {
    var facts = stat()
    return lstat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFLNK
  }

  /// Makes the folder of a todo's image.
  func make(for id: String) throws -> String {
    let folder = "\(path)/\(id)"
    for folder in [path, folder] where mkdir(folder, 0o700) != 0 && errno != EEXIST { throw cannotMake(folder) }
    return folder
  }

  /// Complains about a folder that is there: what lies in it is of another export.
  func requireFree() throws {
    var facts = stat()
    if lstat(path, &facts) == 0 {
      throw Complaint(
        "file_exists", .cannotWrite, "\(path) is there already", hint: "choose another name, or remove it")
    }
  }

  private func cannotMake(_ folder: String) -> Complaint {
    Complaint(
      "file", errno == EIO ? .disk : .cannotWrite, "cannot make \(folder): \(String(cString: strerror(errno)))",
      hint: "look at its name and its folder; --no-images leaves images out")
  }
}

extension Session {
  /// Saves the images of what is exported, and says in each todo how its own is called. Those that are not here are fetched.
  func saveImages(of exported: [ExportedTodo], in folder: ImageFolder) async throws -> [ExportedTodo] {
    try folder.requireFree()
    var named = exported
    var made: [(file: String, folder: String)] = []
    do {
      for index in named.indices {
        guard let image = named[index].image, let id = named[index].entry.todo.id else { continue }
        let target = try await target(folder.make(for: id), of: image, or: id)
        made.append((target.path, "\(folder.path)/\(id)"))
        try await save(image, as: target, force: false)
        named[index].entry.image = "\(id)/\(target.name)"
      }
      return named
    } catch {
      // Half of the images are no export.
      for one in made {
        unlink(one.file)
        rmdir(one.folder)
      }
      rmdir(folder.path)
      throw error
    }
  }

  /// Seals the images that a file names, by the ids of their todos in it.
  /// - Parameter skipsBroken: whether those are left out that are missing or no pictures, and counted.
  func sealImages(
    _ images: [String: String], in folder: ImageFolder?, skipsBroken: Bool
  ) async throws -> (files: [String: SealedPicture], left: Int) {
    guard let folder else { return ([:], images.count) }
    var files: [String: SealedPicture] = [:]
    for (id, name) in images.sorted(by: { $0.key < $1.key }) {
      do {
        guard let path = folder.file(name) else {
          throw Complaint("image", .badData, "'\(Complaint.shortened(name))' names no image", hint: "look at the file")
        }
        files[id] = try await seal(path, keepsMetadata: true)
      } catch {
        if skipsBroken { continue }
        var complaint = Complaint(error)
        complaint.hint = "nothing was imported; --skip-broken leaves out what cannot be read"
        throw complaint
      }
    }
    return (files, images.count - files.count)
  }
}
