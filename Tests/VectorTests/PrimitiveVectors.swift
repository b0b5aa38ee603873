import CloudAPI
import Sealing
import Signing
import Testing

@testable import Sharing
@testable import TodoCore

@Suite struct PrimitiveVectors {
  struct Ids: Decodable {
    let rootPublicKey, userId, deviceSignKey, deviceBoxKey, deviceId, replica, disownedReplica: Hex
    let userIdText: String
    let trunks: [String: Hex]
  }

  @Test(arguments: Vector.all("ids")) func ids(_ vector: Vector) throws {
    let ids = try vector.decode(Ids.self)
    let user = UserID(root: try ids.rootPublicKey.id())
    #expect(user.bytes == ids.userId.bytes)
    #expect(user.description == ids.userIdText)
    #expect(UserID(text: ids.userIdText) == user)
    let device = DeviceID(signKey: try ids.deviceSignKey.id(), boxKey: try ids.deviceBoxKey.id())
    #expect(device.bytes == ids.deviceId.bytes)
    let replica = Replica(of: user, device, salt: Array(ids.replica.bytes.prefix(2)))
    #expect(replica.bytes == ids.replica.bytes)
    #expect(replica.disowned.bytes == ids.disownedReplica.bytes)
    for trunk in Trunk.allCases { #expect(trunk.cloudID(of: user).bytes == ids.trunks[trunk.rawValue]?.bytes) }
  }

  struct Derived: Decodable {
    let key, from, id: Hex
    let domain: String
  }

  @Test(arguments: Vector.all("derived")) func derived(_ vector: Vector) throws {
    let item = try vector.decode(Derived.self)
    let (key, from) = (SecretBytes(item.key.bytes), item.from.bytes)
    let id: [UInt8]? =
      switch item.domain {
      case "pointer": CloudID(derived: .pointer, from, by: key).bytes
      case "conversation-node": CloudID(of: try #require(ConversationID(bytes: from)), by: key).bytes
      case "occurrence": TodoID(text: Base32.encode(from))?.next(by: key).cloudID?.bytes
      case "imported" where from.count == 16:
        TodoID(text: Base32.encode(from))?.nextImported(by: key).cloudID?.bytes
      case "imported": TodoID(foreign: String(decoding: from, as: UTF8.self), by: key).cloudID?.bytes
      default: nil
      }
    #expect(id == item.id.bytes)
  }

  struct Words: Decodable {
    let expect, words: String
    let entropy, rootSignPublic, rootBoxPublic: Hex?
  }

  @Test(arguments: Vector.all("words")) func words(_ vector: Vector) throws {
    let words = try vector.decode(Words.self)
    guard words.expect == "ok" else {
      #expect(throws: WordsError.self) { try RecoveryWords(text: words.words) }
      return
    }
    let root = try RecoveryWords(text: words.words).root()
    #expect(root.entropy.copied() == words.entropy?.bytes)
    #expect(root.signing.publicKey.bytes == words.rootSignPublic?.bytes)
    #expect(BoxKey(root: root).publicKey.bytes == words.rootBoxPublic?.bytes)
    #expect(RecoveryWords(root: root).words == (try RecoveryWords(text: words.words)).words)
  }

  struct SafetyCase: Decodable {
    let a, b: Hex
    let digits: String
  }

  @Test(arguments: Vector.all("safety")) func safety(_ vector: Vector) throws {
    let safety = try vector.decode(SafetyCase.self)
    let a = try safety.a.id(UserID.self)
    let b = try safety.b.id(UserID.self)
    let number = SafetyNumber(of: a, and: b)
    #expect(number.groups.joined() == safety.digits)
    #expect(number == SafetyNumber(of: b, and: a))
    #expect(number.matches(safety.digits))
  }

  struct PaddingCase: Decodable {
    let expect: String
    let plain: Hex?
    let padded: Hex
  }

  @Test(arguments: Vector.all("padding")) func padding(_ vector: Vector) throws {
    let padding = try vector.decode(PaddingCase.self)
    guard padding.expect == "ok" else {
      #expect(padding.expect == "padding-wrong")
      #expect(Padding.unpad(padding.padded.bytes) == nil)
      return
    }
    let plain = try #require(padding.plain).bytes
    #expect(Padding.pad(plain) == padding.padded.bytes)
    #expect(Padding.unpad(padding.padded.bytes) == plain)
  }

  struct SealCase: Decodable {
    let expect, domain: String
    let key, ad, sealed: Hex
    let plain: Hex?
  }

  @Test(arguments: Vector.all("seal")) func seal(_ vector: Vector) throws {
    let seal = try vector.decode(SealCase.self)
    let domain = try #require(Domain(rawValue: seal.domain))
    let opened = Seal.open(seal.sealed.bytes, under: SecretBytes(seal.key.bytes), domain, context: seal.ad.bytes)
    if seal.expect == "ok" {
      #expect(opened == seal.plain?.bytes)
    } else {
      #expect(seal.expect == "content-unopenable")
      #expect(opened == nil)
    }
  }

  struct RequestCase: Decodable {
    let expect, method, authority, path, query: String
    let body: Hex
    let headers: [String: String]
    let keyidKeys: [String: Hex]
    let now: Int64
  }

  @Test(arguments: Vector.all("request")) func request(_ vector: Vector) throws {
    let item = try vector.decode(RequestCase.self)
    var request = CloudRequest(
      method: item.method, authority: item.authority, path: item.path, headers: item.headers, body: item.body.bytes)
    request.query = item.query
    let result = try outcome {
      let signature = try RequestSignature(of: request)
      let keyid = "\(signature.caller.user)/\(signature.caller.device?.description ?? "root")"
      let key = try #require(item.keyidKeys[keyid])
      try signature.verify(request, key: try key.id(), now: item.now)
    }
    #expect(result == item.expect)
  }
}
