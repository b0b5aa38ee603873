import ArgumentParser
import Glibc
import Pictures

/// What `todo` starts to look at a picture: a process that can do nothing else. Nobody types it.
struct DecodePictureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode-picture",
    abstract: "Decode a picture from standard input; todo calls this itself.",
    shouldDisplay: false)

  @Argument(help: "The most pixels of the longer side.") var side: Int

  /// It has nothing to say beside the pixels.
  func run() { Glibc.exit(DecoderChild.run(fitting: side)) }
}

extension DecoderProcess {
  /// This program again. Nil where the system does not say which it is.
  static var ofThisProgram: DecoderProcess? {
    BackgroundSync.program().map { DecoderProcess(program: $0, arguments: ["decode-picture"]) }
  }
}
