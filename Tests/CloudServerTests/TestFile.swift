import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

/// A file as a server sees it: random bytes of lengths that sealing gives.
struct TestFile {
  let content: ContentID
  let layout: FileLayout
  let bytes: [UInt8]

  init(data: UInt64, metadata: UInt64 = 100, thumbnail: UInt64 = 5000, content: ContentID = .random(entropy)) throws {
    self.content = content
    layout = try #require(FileLayout(FileSizes(metadata: metadata, thumbnail: thumbnail, data: data)))
    bytes = entropy.bytes(Int(layout.length))
  }

  var parts: FileParts { FileParts(of: layout) }

  func part(_ number: UInt64) -> [UInt8] {
    guard let range = parts.range(of: number) else { return [] }
    return Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
  }

  /// The hashes of all leaves: header, metadata, thumbnail, data.
  var leaves: [Hash32] {
    (0..<parts.count).flatMap { parts.leaves(of: $0) }.map { leaf in
      let range = layout.range(of: leaf)
      return LeafHasher.hash(Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)]), leaf)
    }
  }

  var root: Hash32 { layout.root(ofLeaves: leaves) ?? .zeros }

  func reference(by person: Person) -> ContentReference {
    ContentReference(file: layout, content: content, device: person.deviceID, root: root)
  }
}

extension World {
  @discardableResult
  func put(
    _ part: UInt64, of file: TestFile, _ bytes: [UInt8]? = nil, query: String? = nil, as person: Person
  ) -> CloudResponse {
    cloud.handle(
      request(
        .filePart(file.content, part: part), query: query ?? file.layout.query, bytes ?? file.part(part),
        as: person.signer, person.device))
  }

  /// Sends all parts, last ones first.
  func upload(_ file: TestFile, as person: Person) throws {
    for part in (0..<file.parts.count).reversed() {
      let response = put(part, of: file, as: person)
      try #require(response.status == 204, "\(reason(response))")
    }
  }

  /// The parts that are there; nil where the upload is not.
  func parts(of file: TestFile, as person: Person) throws -> [UInt32]? {
    let response = send(.upload(file.content), as: person)
    guard response.status == 200 else {
      #expect(response.status == 404 && reason(response) == "not-found")
      return nil
    }
    let upload = try WireUpload(serializedBytes: response.body)
    #expect(FileLayout(length: upload.length, metadata: upload.metadata, thumbnail: upload.thumbnail) == file.layout)
    return upload.parts
  }

  func read(_ file: TestFile, in branch: CloudID, range: String? = nil, as person: Person) -> CloudResponse {
    var request = request(.content(branch: branch, file.content), [], as: person.signer, person.device)
    request.headers["range"] = range
    return cloud.handle(request)
  }

  func leaves(of file: TestFile, in branch: CloudID, from leaf: UInt64, as person: Person) -> CloudResponse {
    cloud.handle(
      request(
        .leaves(branch: branch, file.content), query: "from=\(leaf)", [], as: person.signer, person.device))
  }

  /// Something that makes the server look around.
  func anything(as person: Person) throws { _ = try batch([], as: person) }
}

extension BranchHand {
  /// Puts a new node that lists a file; returns its header and record.
  mutating func attach(_ file: TestFile, _ author: Person) throws -> (header: HeaderBody, record: SignedRecord) {
    var header = header(parent: branch, author)
    header.contents = [file.reference(by: author)]
    let put = put(header, author)
    try #require(word(try send(put, author)) == "accepted")
    return (header, try put.record)
  }

  /// The same where it may be refused.
  mutating func tryToAttach(_ reference: ContentReference, borrowed: [WireBorrowed] = [], _ author: Person) throws
    -> String
  {
    var header = header(parent: branch, author)
    header.contents = [reference]
    var put = put(header, author)
    put.put.borrowed = borrowed
    return word(try send(put, author))
  }

  /// Deletes a node that nobody else has changed.
  mutating func remove(_ node: (header: HeaderBody, record: SignedRecord), _ author: Person) throws {
    let delete = delete(node.header.cloudID, version: node.header.version + 1, previous: node.record.hash, author)
    try #require(word(try send(delete, author)) == "accepted")
  }
}
