import Pictures
import Sealing
import TodoCore
import Treesystem

/// A picture as it is attached: looked through, cleaned, and with its thumbnail.
struct AttachedPicture {
  let bytes: [UInt8]
  let thumbnail: [UInt8]
  let facts: ImageFacts
  /// What a camera or a program had written into the file, in words; nil where there was nothing.
  let metadata: String?
  let keepsMetadata: Bool

  /// Reads a file, and makes its thumbnail in a process of its own.
  init(
    _ file: PictureFile, keepsMetadata: Bool, decoder: (any PictureDecoder)? = DecoderProcess.ofThisProgram
  ) throws {
    let picture = try Picture(file.read())
    guard let decoder else { throw PictureError.decoderEnded }
    thumbnail = try decoder.thumbnail(of: picture)
    bytes = keepsMetadata ? picture.bytes : picture.withoutMetadata()
    facts = ImageFacts(
      mediaType: picture.kind.mediaType, width: UInt32(picture.width), height: UInt32(picture.height), name: file.name)
    metadata = picture.metadataWords
    self.keepsMetadata = keepsMetadata
  }

  /// `with sauce.jpg: JPEG, 3024 × 4032 pixels, 1.2 MB, without location and camera data`
  var words: String {
    let rest = metadata.map { ", \(keepsMetadata ? "with" : "without") \($0)" } ?? ""
    return "with \(facts.name): \(facts.words), \(shortSize(Int64(bytes.count)))\(rest)"
  }

  var json: JSON {
    .object(
      facts.members + [
        .init(key: "bytes", value: .int(Int64(bytes.count))),
        .init(key: "metadata", value: metadata == nil ? "none" : keepsMetadata ? "kept" : "removed"),
      ])
  }
}

extension Picture {
  /// What is in the file beside the picture, as people call it.
  fileprivate var metadataWords: String? {
    if metadata.isEmpty { return nil }
    let found = [hasLocation ? "location" : nil, hasCamera ? "camera data" : nil].compactMap { $0 }
    return found.isEmpty ? "what programs wrote into it" : found.joined(separator: " and ")
  }
}

extension ImageFacts {
  /// `JPEG, 3024 × 4032 pixels`; not safe for a terminal.
  var words: String {
    let kind = PictureKind.allCases.first { $0.mediaType == mediaType }.map { $0.name } ?? mediaType
    return "\(kind), \(width) × \(height) pixels"
  }

  var members: [JSON.Member] {
    [
      .init(key: "type", value: .string(mediaType)), .init(key: "width", value: .int(Int64(width))),
      .init(key: "height", value: .int(Int64(height))), .init(key: "name", value: .string(name)),
    ]
  }
}

extension PictureKind {
  /// As people write it.
  private static let names: [PictureKind: String] = [.jpeg: "JPEG", .png: "PNG", .gif: "GIF", .webp: "WebP"]

  var name: String { Self.names[self] ?? rawValue }
}
