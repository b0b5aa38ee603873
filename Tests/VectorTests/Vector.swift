import CloudAPI
import Foundation
import Signing
import Testing

/// One case of `Tests/Vectors`: its file, and its fields as JSON.
struct Vector: CustomTestStringConvertible, Sendable {
  let name: String
  let json: Data

  var testDescription: String { name }

  /// All cases of a kind; `KitVectors` holds that there are some.
  static func all(_ kind: String) -> [Vector] {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Vectors/\(kind)")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.sorted().filter { $0.hasSuffix(".json") }.compactMap { file in
      (try? Data(contentsOf: folder.appending(path: file))).map { Vector(name: "\(kind)/\(file)", json: $0) }
    }
  }

  static func named(_ name: String, of kind: String) throws -> Vector {
    guard let vector = all(kind).first(where: { $0.name == "\(kind)/\(name).json" }) else { throw Refusal.notFound }
    return vector
  }

  func decode<Case: Decodable>(_ type: Case.Type) throws -> Case {
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .convertFromSnakeCase
    return try decoder.decode(type, from: json)
  }
}

/// Bytes in lower-case hex.
struct Hex: Decodable, Hashable {
  let bytes: [UInt8]

  init(bytes: [UInt8]) { self.bytes = bytes }

  init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let bytes = Base16.decode(text) else {
      throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "not hex"))
    }
    self.bytes = bytes
  }

  func id<ID: FixedBytes>(_ type: ID.Type = ID.self) throws -> ID {
    guard let id = ID(bytes: bytes) else { throw Refusal.malformed }
    return id
  }

  var record: SignedRecord { get throws { try SignedRecord(encoded: bytes) } }
}

/// What a judgement came to: `ok` or the reason word.
func outcome(_ body: () throws -> Void) throws -> String {
  do {
    try body()
    return "ok"
  } catch let refusal as Refusal {
    return refusal.rawValue
  }
}

/// Parses and verifies the keyrings of a case.
func keyrings(_ texts: [String: [Hex]]) throws -> [UserID: Keyring] {
  var keyrings: [UserID: Keyring] = [:]
  for (user, entries) in texts {
    guard let bytes = Base16.decode(user), let id = UserID(bytes: bytes) else { throw Refusal.malformed }
    keyrings[id] = try Keyring(user: id, entries: try entries.map { try $0.record })
  }
  return keyrings
}
