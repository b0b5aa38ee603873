private import CGd

/// libgd, which decodes, scales and encodes. It is given nothing that the walkers have not looked through.
@safe struct GD: @unchecked Sendable {
  /// Functions only, which never change.
  private let library: gd_library

  /// Of a thumbnail: what is lost is not seen at its size.
  private static let quality: Int32 = 80
  /// zlib's usual one.
  private static let compression: Int32 = 6
  private static let transparent: Int32 = 127 << 24

  private static let shared: GD? = {
    var library = gd_library()
    return unsafe gd_library_load(&library) ? GD(library: library) : nil
  }()

  static func loaded() throws(PictureError) -> GD {
    guard let shared else { throw .libraryMissing }
    return shared
  }

  /// Decodes a frame, and puts it where it stands in a picture that is made smaller.
  func decode(_ still: Still, scale: Scale, fitting side: Int) throws(PictureError) -> Bitmap {
    let size = scale.size(fitting: side)
    guard let source = read(still) else { throw .pixelsDamaged }
    defer { source.free() }
    guard source.width == still.frame.width, source.height == still.frame.height else { throw .pixelsDamaged }
    guard let canvas = create(size.width, size.height) else { throw .decoderEnded }
    defer { canvas.free() }
    func across(_ place: Int) -> Int32 { Int32(place * size.width / scale.width) }
    func down(_ place: Int) -> Int32 { Int32(place * size.height / scale.height) }
    let frame = still.frame
    let (left, top) = (across(frame.x), down(frame.y))
    unsafe library.resample(
      canvas.pointer, source.pointer, left, top, 0, 0, max(1, across(frame.x + frame.width) - left),
      max(1, down(frame.y + frame.height) - top), Int32(frame.width), Int32(frame.height))
    return try bitmap(of: canvas)
  }

  func encode(_ bitmap: Bitmap) throws(PictureError) -> [UInt8] {
    guard let image = create(bitmap.width, bitmap.height) else { throw .decoderEnded }
    defer { image.free() }
    for y in 0..<bitmap.height {
      for x in 0..<bitmap.width {
        unsafe library.set_pixel(image.pointer, Int32(x), Int32(y), Self.colour(bitmap.pixel(x: x, y: y)))
      }
    }
    var count: Int32 = 0
    let written =
      unsafe bitmap.isTransparent
      ? library.write_png(image.pointer, &count, Self.compression)
      : library.write_jpeg(image.pointer, &count, Self.quality)
    guard let written = unsafe written else { throw .decoderEnded }
    defer { unsafe library.free(written) }
    return unsafe Array(UnsafeRawBufferPointer(start: written, count: Int(count)))
  }

  /// As the library writes a colour: seven bits say how much shines through.
  private static func colour(_ pixel: ArraySlice<UInt8>) -> Int32 {
    let rgb = pixel.prefix(3).reduce(0) { $0 << 8 | Int32($1) }
    return (Int32(255 - (pixel.last ?? 255)) >> 1) << 24 | rgb
  }

  /// 0 to 127, from what hides everything to what hides nothing, becomes 255 to 0.
  private static func alpha(_ colour: Int32) -> UInt8 {
    let opacity = 127 - (colour >> 24 & 127)
    return UInt8(opacity << 1 | opacity >> 6)
  }

  /// A picture of the library's.
  @safe private struct Image {
    let pointer: gdImagePtr
    let library: gd_library

    var width: Int { unsafe Int(pointer.pointee.sx) }
    var height: Int { unsafe Int(pointer.pointee.sy) }
    func free() { unsafe library.destroy(pointer) }
  }

  private func read(_ still: Still) -> Image? {
    let pointer = unsafe still.bytes.withUnsafeBytes { bytes -> gdImagePtr? in
      // It takes a pointer to what it could write to, and does not.
      let start = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)
      let count = Int32(bytes.count)
      return switch still.kind {
      // What a JPEG's decoder calls a warning is missing or wrong pixels, which it fills in.
      case .jpeg: unsafe library.read_jpeg(count, start, 1)
      case .png: unsafe library.read_png(count, start)
      case .gif: unsafe library.read_gif(count, start)
      case .webp: unsafe library.read_webp(count, start)
      }
    }
    return unsafe pointer.map { unsafe Image(pointer: $0, library: library) }
  }

  /// An empty picture that everything shines through.
  private func create(_ width: Int, _ height: Int) -> Image? {
    guard let pointer = library.create(Int32(width), Int32(height)) else { return nil }
    unsafe library.set_blending(pointer, 0)
    unsafe library.set_saves_alpha(pointer, 1)
    unsafe library.fill(pointer, 0, 0, Int32(width) - 1, Int32(height) - 1, Self.transparent)
    return unsafe Image(pointer: pointer, library: library)
  }

  private func bitmap(of image: Image) throws(PictureError) -> Bitmap {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(4 * image.width * image.height)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let colour = unsafe library.pixel(image.pointer, Int32(x), Int32(y))
        for shift in [16, 8, 0] as [Int32] { pixels.append(UInt8(truncatingIfNeeded: colour >> shift)) }
        pixels.append(Self.alpha(colour))
      }
    }
    guard let bitmap = Bitmap(width: image.width, height: image.height, pixels: pixels) else { throw .decoderEnded }
    return bitmap
  }
}
