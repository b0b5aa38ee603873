import Sealing
import Signing
import Testing

@Suite struct LockVectors {
  struct KeyFileCase: Decodable {
    let expect, passphrase: String
    let file: Hex
    let key: Hex?
  }

  @Test(arguments: Vector.all("lock")) func keyFile(_ vector: Vector) throws {
    let item = try vector.decode(KeyFileCase.self)
    do {
      let key = try KeyFile(encoded: item.file.bytes).open(Passphrase(Array(item.passphrase.utf8)))
      #expect(item.expect == "ok")
      #expect(key.secret == item.key.map { SecretBytes($0.bytes) })
    } catch let error as KeyFileError {
      #expect(error.rawValue == item.expect)
    }
  }

  struct UnitCase: Decodable {
    let expect: String
    let key, sealed: Hex
    let file: UInt8
    let number: UInt64
    let plain: Hex?
  }

  @Test(arguments: Vector.all("unit")) func unit(_ vector: Vector) throws {
    let item = try vector.decode(UnitCase.self)
    let id = DatabaseKeyID.random(SystemEntropy())
    let key = try #require(DatabaseKey(id: id, secret: SecretBytes(item.key.bytes)))
    let file = try #require(DatabaseKey.File(rawValue: item.file))
    #expect(key.open(item.sealed.bytes, unit: item.number, of: file) == item.plain?.bytes)
    #expect((item.plain != nil) == (item.expect == "ok"))
  }
}
