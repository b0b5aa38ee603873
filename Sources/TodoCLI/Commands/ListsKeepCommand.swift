import ArgumentParser
import CloudAPI
import Sealing
import Sharing
import Signing
import TodoCore
import Treesystem

/// `todo lists keep <list>`
struct ListsKeepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep",
    abstract: "Make a list of your own of one that somebody shared with you, and does no more.",
    usage: "todo lists keep <list> [--yes]",
    discussion: """
      Everything that is here of it is on the new list, its trash, its images and what you had not sent too; the old one goes. \
      Images that are not here are fetched first, where the server still gives them: those of a list that was deleted, for a while.

      Example:
        todo lists keep Groceries
      """)

  @OptionGroup var options: GlobalOptions

  @Argument(help: "The list.")
  var list: String

  func run() async throws {
    let session = try Session.open(options)
    let (ended, end) = try session.read(requireEnded)
    // Whoever was taken off a list gets nothing of it any more.
    if end.kind == .deleted { try await session.fetchImages(of: ended) }
    let page = try session.change(isAction: false) { transaction in
      let list = try requireEnded(transaction).list
      let lost = try transaction.imagesElsewhere(on: list.node).count
      return KeptListPage(
        list: try transaction.summaries(of: [transaction.keepList(list)]), imagesLost: lost)
    }
    try await session.finish(page)
  }

  private func requireEnded(_ transaction: CloudTransaction) throws -> (list: TodoList, end: EndedList) {
    let list = try transaction.requireList(list)
    guard let end = try transaction.end(of: list) else {
      if let unreadable = try transaction.unreadable(list) { throw unreadable }
      throw Complaint(
        "not_deleted", .usage, "'\(Complaint.shortened(list.name))' is yours to use as it is",
        hint: "this is for lists that somebody deleted, or took you off")
    }
    return (list, end)
  }
}

extension Session {
  /// Has the images of a list on this device, as far as the server has them. Where it cannot be asked, asks whether to go on without.
  fileprivate func fetchImages(of list: TodoList) async throws {
    let images = try read { try $0.images(on: list.node) }
    if images.isEmpty { return }
    do {
      guard options.sync != false else { throw CloudFailure.unreachable }
      // One that comes crowds out none that is here.
      try keepUntilSent(images)
      try await Interruption.ending { [self] in
        try await withCloud("fetching images") { cloud, line in
          for image in images { try await fetch(image, cloud, line) }
        }
      }
    } catch let failure as CloudFailure {
      let left = try read { try $0.imagesElsewhere(on: list.node).count }
      if left == 0 { return }
      if options.sync != false { voice.note(Complaint(failure as any Error).message) }
      try confirm(
        "keep '\(Complaint.shortened(list.name))' without \(counted(left, "image")) that the server may still have")
    }
  }

  /// What the server has not any more, or has something else in place of, does not come.
  private func fetch(_ image: TodoImage, _ cloud: CloudSession, _ line: ProgressLine) async throws {
    do {
      try await cloud.fetchFile([.metadata, .thumbnail, .data], of: image.node) { line.update($0) }
    } catch CloudFailure.refused(let reason) where [.contentMissing, .notFound].contains(reason) {
      return
    } catch is FileFault {
      return
    }
    try keepUntilSent([image])
  }

  private func keepUntilSent(_ images: [TodoImage]) throws {
    try database.write { transaction in
      for image in images { try transaction.keepUntilSent(image.file) }
    }
  }
}

/// A list that was kept, and what could not be.
struct KeptListPage: Page {
  private let names: NamesPage
  private let imagesLost: Int

  init(list: [ListSummary], imagesLost: Int) {
    names = NamesPage(verb: "kept list", lists: list)
    self.imagesLost = imagesLost
  }

  func lines(_ style: Style) -> [String] {
    let lost =
      "\(counted(imagesLost, "image")) could not come along: nobody gives \(imagesLost == 1 ? "it" : "them") to this device any more"
    return names.lines(style) + (imagesLost == 0 ? [] : [lost])
  }

  var members: [JSON.Member] { names.members + [.init(key: "images_lost", value: .int(Int64(imagesLost)))] }
}
