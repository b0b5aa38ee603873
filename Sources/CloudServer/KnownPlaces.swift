import CloudAPI
import Signing

/// Where nodes hang, as far as one transaction has asked. Hundreds of nodes that are put below one are judged by one look at what is above it.
final class KnownPlaces {
  private var known: [CloudID: [CloudID: NodePlace]] = [:]

  /// Nil where there is no such node: that is not remembered, since one may be put.
  func place(of cloudID: CloudID, in branch: CloudID, _ storage: any CloudStorageReader) throws -> NodePlace? {
    if let place = known[branch]?[cloudID] { return place }
    // Whoever asks goes on upwards: all of that is one statement.
    for place in try storage.places(from: cloudID, in: branch) { known[branch, default: [:]][place.cloudID] = place }
    return known[branch]?[cloudID]
  }

  /// To be called when a node that was there is moved, deleted or brought back.
  func forget() { known = [:] }
}
