import Pictures

extension Complaint {
  init(_ error: PictureError) {
    switch error {
    case .notAPicture:
      self.init("not_a_picture", .badData, "the file is not a picture", hint: Self.kinds)
    case .kindUnsupported:
      self.init("picture_kind", .badData, "todo does not know this kind of picture", hint: Self.kinds)
    case .variantUnsupported:
      self.init(
        "picture_kind", .badData, "the picture is written in a way that hardly any program reads",
        hint: "open it in another program and save it as JPEG or PNG")
    case .fileTooLarge:
      self.init(
        "picture_too_large", .badData, "the file is larger than \(PictureLimits.fileSize >> 20) MiB",
        hint: "make the picture smaller")
    case .truncated:
      self.init(
        "picture_damaged", .badData, "the file ends in the middle of the picture", hint: "copy or download it again")
    case .damaged, .pixelsDamaged:
      self.init("picture_damaged", .badData, "the picture is damaged", hint: "copy or download it again")
    case .tooManyPixels:
      self.init(
        "picture_too_large", .badData, "the picture has more than \(PictureLimits.pixels / 1_000_000) million pixels",
        hint: "make it smaller; no side may have more than \(PictureLimits.side)")
    case .tooManyParts:
      self.init(
        "picture_too_large", .badData, "the picture is made of too many parts",
        hint: "open it in another program and save it again")
    case .decoderEnded:
      self.init(
        "picture_undecodable", .badData, "looking at the picture took too much time or memory, or failed",
        hint: "open it in another program and save it again")
    case .libraryMissing:
      self.init(
        "library_missing", .tryAgain, "a library that pictures need is not installed",
        hint: "install libgd3, libseccomp2 and libchafa0 and try again")
    }
  }

  private static let kinds = "it has to be a JPEG, PNG, WebP or GIF; other programs can save it as one"
}
