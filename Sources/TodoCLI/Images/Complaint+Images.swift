import CloudAPI
import Pictures
import Sealing
import TodoCore

extension Complaint {
  init(_ error: FileSealError) {
    switch error {
    case .tooLarge:
      self.init("picture_too_large", .badData, "the file is too large to be attached", hint: "make it smaller")
    case .sourceChanged:
      self.init("file_changed", .tryAgain, "the file changed while it was read", hint: "try again when it is whole")
    case .notAFile:
      self.init(
        "not_a_file", .badData, "there is a folder, pipe or device in place of a file", hint: "name a regular file")
    }
  }

  init(_ fault: FileFault) { self.init(fault, of: "the file", signedBy: "its author") }

  /// What the server sent in place of a file.
  init(_ fault: FileFault, of what: String, signedBy author: String) {
    switch fault {
    case .contentMismatch, .contentUnopenable, .malformed:
      self.init(
        "not_verified", .notVerified, "\(what) is not what \(author) signed (\(fault.rawValue))",
        hint: "nothing of it was shown or kept; try again, and if it stays ask whoever runs the server")
    case .contentMissing:
      self.init(
        "image_missing", .notVerified, "the server sent only a part of what \(author) signed (\(fault.rawValue))",
        hint: "try again later; if it stays ask whoever runs the server")
    case .suiteUnknown:
      self.init("newer", .notVerified, "\(what) was sealed by a newer todo (\(fault.rawValue))", hint: "update todo")
    }
  }

  /// The server has not got it.
  static func imageGone(_ reason: Refusal, author: String?) -> Complaint {
    Complaint(
      "image_missing", .notFound, "the server does not have this image (\(reason.rawValue))",
      hint: author.map { "ask \($0) to attach it again" }
        ?? "save it on a device of yours that has it, and attach it again"
    )
  }

  /// The network is kept off.
  static let imageNotHere = Complaint(
    "image_not_here", .notFound, "the image is not on this device yet", hint: "it is fetched without --no-sync")

  /// There is no account that it could come from.
  static let imageNowhere = Complaint(
    "image_not_here", .notFound, "the image never came to this device, which has no account any more",
    hint: "ask whoever has it to save it for you; todo image add attaches it again")

  /// The server gives nothing of the list to this user any more.
  /// - Parameter end: as far as that is known here.
  static func imageWithheld(on list: String, _ end: EndedList?) -> Complaint {
    let name = shortened(list)
    guard let end, end.kind == .unshared, end.owner != "you" else {
      return Complaint(
        "not_shared", .notPermitted, "the server does not let you read '\(name)' any more, and this image never came",
        hint: "'todo sync' finds out what became of the list")
    }
    if end.by == "you" {
      return Complaint(
        "not_shared", .notPermitted, "you left '\(name)', and this image never came",
        hint: "ask \(end.owner) to share it with you again, or to send you the image")
    }
    return Complaint(
      "not_shared", .notPermitted,
      end.by.map { "\($0) took you off '\(name)', and this image never came" }
        ?? "the server says that you were taken off '\(name)', and this image never came",
      hint: "ask \(end.by ?? end.owner) to share it with you again, or to send you the image")
  }

  /// What somebody attached is no picture, or none that can be looked at.
  static func cannotShow(_ error: PictureError, _ picked: PickedImage) -> Complaint {
    guard error != .libraryMissing else { return Complaint(error as any Error) }
    return Complaint(
      "cannot_show", .badData,
      "what \(picked.image.author ?? "you") attached cannot be shown as a picture (\(error.rawValue))",
      hint: "as it is, you get it with: todo image save \(picked.todo.todo.shortID)")
  }
}
