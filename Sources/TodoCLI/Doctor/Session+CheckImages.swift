import TodoCore
import Treesystem

extension Session {
  /// Whether the images that no server has are as they were attached; nil where there are none.
  func checkImages() throws -> Check? {
    let damaged = try database.diskStore.damaged()
    if damaged.isEmpty {
      let waiting = try read { try $0.waitingFiles() }.count
      return waiting == 0 ? nil : Check("images", "\(counted(waiting, "image")) only here, as attached")
    }
    let titles = try read { transaction in
      try damaged.compactMap { image in
        try transaction.node(image)?.parent.flatMap { try transaction.todo($0)?.title }
      }
    }
    return Check(
      "images",
      "the disk did not keep \(titles.isEmpty ? "an image" : "the image of \(titles.map { "'\($0)'" }.joined(separator: ", "))")",
      .init(
        exit: .disk,
        advice: [
          "take it off, and attach it again from the file that you have of it: todo image rm, todo image add",
          "and copy what else you need from this disk: it does not keep what is written",
        ]))
  }
}
