import Pictures

// What `make fuzz` gives hostile bytes to: everything that looks at a picture (docs/pictures.md), and libgd behind it.

/// Pixels that are decoded: more would only be slower.
private let most = 1 << 18

/// One input is one file.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  guard let picture = try? Picture(Array(UnsafeBufferPointer(start: start, count: count))) else { return 0 }
  let clean = picture.withoutMetadata()
  guard let again = try? Picture(clean) else { preconditionFailure("a clean picture is none") }
  precondition(again.withoutMetadata() == clean, "a clean picture was not clean")
  precondition(again.metadata.allSatisfy { $0.kind == .exif } && !again.hasLocation && !again.hasCamera)
  precondition(
    again.width == picture.width && again.height == picture.height && again.orientation == picture.orientation)
  guard picture.width * picture.height <= most, let small = try? DirectDecoder().thumbnail(of: picture) else {
    return 0
  }
  guard let thumbnail = try? Picture(small) else { preconditionFailure("a thumbnail is no picture") }
  precondition(thumbnail.metadata.isEmpty && max(thumbnail.width, thumbnail.height) <= PictureLimits.thumbnailSide)
  return 0
}
