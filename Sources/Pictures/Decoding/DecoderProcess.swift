private import Confined

/// Decodes in a process of its own: this program again, with a command that calls `DecoderChild.run()`. So what a hostile picture does to a
/// decoder ends there: the child has no file, no key and no network, and a limit on memory and time.
public struct DecoderProcess: PictureDecoder {
  private let program: String
  private let arguments: [String]

  /// The path of a program, and the arguments with which it runs `DecoderChild`; the child gets the side as one more.
  public init(program: String, arguments: [String]) {
    self.program = program
    self.arguments = arguments
  }

  /// A child that died of a signal may have been unlucky: another one is asked, once. Whoever took too long would do so again.
  public func bitmap(of picture: Picture, fitting side: Int) throws(PictureError) -> Bitmap {
    var (bitmap, status) = answer(picture, fitting: side)
    if bitmap == nil, ConfinedProcess.mayBeAskedAgain(status) { (bitmap, status) = answer(picture, fitting: side) }
    guard let bitmap else { throw DecoderChild.fault(of: status) }
    return bitmap
  }

  /// What one child says, and how it ended.
  func answer(_ picture: Picture, fitting side: Int) -> (Bitmap?, status: Int32?) {
    let child = ConfinedProcess(
      program: program, arguments: arguments + ["\(side)"], patience: 2 * Int64(PictureLimits.seconds) * 1000)
    let size = picture.size(fitting: side)
    let (pixels, status) = child.answer(to: picture.withoutMetadata(), limit: 4 * size.width * size.height)
    return (pixels.flatMap { Bitmap(width: size.width, height: size.height, pixels: $0) }, status)
  }
}

/// The process that `DecoderProcess` starts: reads a picture from standard input, and writes its pixels to standard output. It has to be
/// called before anything starts a thread: every descriptor is closed, and threads of the runtime use some.
public enum DecoderChild {
  private static let faults: [PictureError] = [.pixelsDamaged, .libraryMissing]

  /// Decodes, and returns the status with which to exit. It gives up what the process may do, for good.
  public static func run(fitting side: Int) -> Int32 {
    do {
      let pixels = try decoded(fitting: side).pixels
      return ConfinedStreams.write(pixels) ? 0 : Int32(faults.count) + 1
    } catch {
      return faults.firstIndex(of: error).map { Int32($0) + 1 } ?? Int32(faults.count) + 1
    }
  }

  private static func decoded(fitting side: Int) throws(PictureError) -> Bitmap {
    do {
      try Confinement.bound(memory: PictureLimits.memory, seconds: PictureLimits.seconds)
      _ = try GD.loaded()
      try Confinement.finish()
    } catch let error as PictureError {
      throw error
    } catch {
      throw error as? ConfinementError == .libraryMissing ? .libraryMissing : .decoderEnded
    }
    guard let file = ConfinedStreams.readAll(limit: PictureLimits.fileSize) else { throw .fileTooLarge }
    return try DirectDecoder().bitmap(of: Picture(file), fitting: side)
  }

  /// What a child's end says.
  static func fault(of status: Int32?) -> PictureError {
    guard let code = ConfinedProcess.exitCode(status), faults.indices.contains(code - 1) else { return .decoderEnded }
    return faults[code - 1]
  }
}
