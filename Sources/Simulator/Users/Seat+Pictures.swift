import CloudAPI
import Sharing
import TodoCore
import Treesystem

/// Pictures, which people give to todos beside hostile members only.
extension Seat {
  func picture(_ process: SimProcess, _ list: TodoList) {
    guard let file = storedPicture(process) else { return }
    edit("picture", process, list, [.open, .done]) { transaction, todo in
      if try transaction.setImage(file, of: todo).image == nil {
        fail("\(name) gave a todo a picture, and it has none")
      }
    }
  }

  /// A small picture in the disk store; nil where the disk does not take it.
  private func storedPicture(_ process: SimProcess) -> NodeFile? {
    let bytes = Array(newTitle().utf8)
    let facts = ImageFacts(mediaType: "image/png", width: 1, height: 1, name: Oracle.marker)
    var source = MemorySource(bytes: bytes)
    do {
      let file = try process.database.diskStore.store(
        metadata: facts.bytes, thumbnail: bytes, data: &source, size: UInt64(bytes.count))
      world.hostileMember?.authorship.gave(file, by: device.person.handle)
      return file
    } catch {
      if process.isAlive { expect(error, "storing a picture") }
      return nil
    }
  }

  /// Sends the pictures that wait. The nodes that list them go with the next sync.
  func sendPictures(_ process: SimProcess) async throws {
    guard world.hostileMember != nil else { return }
    let report = try await process.session.transferFiles()
    if report.sent + report.refused > 0 { log("pictures: \(report.sent) out, \(report.refused) refused") }
  }
}
