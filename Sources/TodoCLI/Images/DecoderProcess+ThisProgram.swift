import Pictures

/// `todo decode-picture <side>` is what this program starts to look at a picture: a process that can do nothing else. Nobody types it, and
/// no command of people's is parsed for it.
extension DecoderProcess {
  private static let word = "decode-picture"

  /// This program again. Nil where the system does not say which it is.
  static var ofThisProgram: DecoderProcess? {
    BackgroundSync.program().map { DecoderProcess(program: $0, arguments: [word]) }
  }

  /// The most pixels of the longer side, where this process was started to look at a picture.
  static func side(asked arguments: [String]) -> Int? {
    arguments.count == 3 && arguments[1] == word ? Int(arguments[2]) : nil
  }
}
