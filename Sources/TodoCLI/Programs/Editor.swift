import Formats
import Glibc

/// The program in which somebody writes texts.
struct Editor {
  /// A command line of the shell.
  let command: String

  init(environment: (String) -> String?) {
    func named(_ name: String) -> String? { environment(name).flatMap { $0.isEmpty ? nil : $0 } }
    // Debian's word for what its user has chosen, and then what is nearly everywhere.
    command = named("VISUAL") ?? named("EDITOR") ?? (access("/usr/bin/editor", X_OK) == 0 ? "editor" : "vi")
  }

  /// Opens a file in it, and waits until it is closed.
  func edit(_ file: EditedFile) throws(Complaint) {
    guard let process = ChildProcess.shell("\(command) \"$1\"", ["todo", file.path], files: []) else {
      throw failed("cannot be started")
    }
    // All of them are meant for the one that is on the screen; when that has ended, what it wrote is kept.
    let signals = [SIGINT, SIGQUIT, SIGHUP, SIGTERM]
    let before = signals.map { signal($0, SIG_IGN) }
    defer { for (number, action) in zip(signals, before) { signal(number, action) } }
    if let words = process.wait().words { throw failed(words) }
  }

  private func failed(_ words: String) -> Complaint {
    Complaint(
      "editor", .notFound, "the editor '\(Complaint.shortened(command))' \(words)",
      hint: "nothing was changed; set EDITOR to the one you use, or say it in options: 'todo help edit'")
  }
}

/// A file that somebody edits; it is gone when that is over.
struct EditedFile {
  let path: String
  private let folder: EditFolder

  init(_ text: String, in folder: EditFolder) throws(Complaint) {
    self.folder = folder
    path = folder.path + "/edit.txt"
    guard let file = fopen(path, "we") else { throw Self.cannot("write \(path)") }
    let bytes = Array(text.utf8)
    let count = fwrite(bytes, 1, bytes.count, file)
    guard fclose(file) == 0, count == bytes.count else { throw Self.cannot("write \(path)") }
  }

  /// What is in it now.
  func read() throws(Complaint) -> String {
    guard let file = fopen(path, "re") else { throw Self.cannot("read what the editor wrote") }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 1 << 20)
    let count = fread(&bytes, 1, bytes.count, file)
    guard count < bytes.count else {
      throw Complaint("too_long", .badData, "that is more than a megabyte", hint: "correct it in the editor")
    }
    let written = Array(bytes[..<count])
    // What is no Unicode was written by an editor that is set to Latin-1: nothing of it is thrown away.
    return FileText.read(written) ?? String(String.UnicodeScalarView(written.map { Unicode.Scalar($0) }))
  }

  private static func cannot(_ what: String) -> Complaint {
    Complaint(
      "cannot_write", .cannotWrite, "cannot \(what): \(String(cString: strerror(errno)))", hint: "nothing was changed")
  }
}
