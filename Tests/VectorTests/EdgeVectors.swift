import Foundation
import Signing
import Testing

/// The Ed25519 edge cases of C2SP/CCTV: signatures that some verifiers take and others do not. They are not part of this
/// repository; they lie beside it where it is worked on.
@Suite struct EdgeVectors {
  struct Case: Decodable, CustomTestStringConvertible {
    let number: Int
    let key, sig: Hex
    let msg: String
    let flags: [String]?

    var testDescription: String { "\(number): \((flags ?? []).joined(separator: " "))" }
  }

  static let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../../shared/data/ed25519vectors.json"
  ).standardizedFileURL
  static var isThere: Bool { FileManager.default.fileExists(atPath: file.path) }

  /// What spec §1.3 refuses. Of a component of low order alone it makes nothing.
  static let refused: Set = ["low_order_A", "low_order_R", "non_canonical_A", "non_canonical_R", "low_order_residue"]

  @Test(.enabled(if: isThere, "left out: ../shared/data/ed25519vectors.json is not there"))
  func everyEdgeIsJudgedAsTheSpecSays() throws {
    let cases = try JSONDecoder().decode([Case].self, from: Data(contentsOf: Self.file))
    #expect(cases.count == 914)
    var accepted = 0
    for item in cases {
      let key = try item.key.id(PublicKey.self)
      let verifies = key.verifies(try item.sig.id(Signature.self), plain: Array(item.msg.utf8))
      #expect(verifies == Self.refused.isDisjoint(with: item.flags ?? []), "\(item.testDescription)")
      if verifies { accepted += 1 }
    }
    #expect(accepted == 43)
  }
}
