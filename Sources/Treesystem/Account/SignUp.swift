import CloudAPI
import Sealing
import Signing
import SwiftProtobuf

/// Everything a new account consists of (spec §2.2, §3.4), before the server has heard of it.
struct SignUp {
  let root: RootKey
  let signingKey: SigningKey
  let deviceBox: BoxKey
  let userKey: UserKey
  let keyring: [SignedRecord]
  /// The trunks' first permissions records and branch keys, in the order of `Trunk.allCases`.
  let trunks: [(trunk: Trunk, record: SignedRecord, body: PermissionsBody, key: BranchKey)]

  var device: DeviceID { DeviceID(signKey: signingKey.publicKey, boxKey: deviceBox.publicKey) }

  init(handle: String, entropy: some Entropy, now: Int64) {
    root = RootKey(entropy: SecretBytes(entropy.bytes(32)))
    signingKey = SigningKey(entropy)
    deviceBox = BoxKey(entropy)
    userKey = UserKey(generation: 1, box: BoxKey(entropy))
    let device = DeviceID(signKey: signingKey.publicKey, boxKey: deviceBox.publicKey)
    let user = root.userID
    let author = Author(user: user, device: device, keyringPosition: 3, read: LogHead(line: 0, hash: .zeros))
    trunks = Trunk.allCases.map { [userKey, signingKey] trunk in
      let key = BranchKey(branch: trunk.cloudID(of: user), epoch: 1, secret: SecretBytes(entropy.bytes(32)))
      let body = Self.permissions(of: trunk, key, userKey, author, entropy)
      return (trunk, SignedRecord(signing: body, with: signingKey), body, key)
    }
    let hashes = trunks.map(\.record.hash)
    let rootBox = BoxKey(root: root)
    let secret = userKey.box.secret
    var chain = KeyringChain(user: user, now: now)
    chain.append(
      .setHandle(handle, rootKey: root.signing.publicKey, rootBoxKey: rootBox.publicKey), signedBy: root.signing)
    chain.append(
      .addDevice(
        .init(
          device: device, signKey: signingKey.publicKey, boxKey: deviceBox.publicKey, generation: 0,
          sealedUserKey: [])), signedBy: root.signing)
    chain.append(
      .rotateUserKey(
        .init(
          generation: 1, publicKey: userKey.box.publicKey,
          sealed: [
            .init(device: nil, sealed: rootBox.publicKey.sealBox(secret, entropy)),
            .init(device: device, sealed: deviceBox.publicKey.sealBox(secret, entropy)),
          ], older: [])), signedBy: root.signing)
    chain.append(
      .setTrunks(.init(home: hashes[0], prefs: hashes[1], outbox: hashes[2], inbox: hashes[3])),
      signedBy: root.signing)
    keyring = chain.records
  }

  private static func permissions(
    of trunk: Trunk, _ key: BranchKey, _ userKey: UserKey, _ author: Author, _ entropy: some Entropy
  ) -> PermissionsBody {
    var author = author
    author.read = LogHead(startOf: key.branch)
    let owner = PermissionsEntry(
      user: author.user, letters: [.read, .write, .share], keyringPosition: 3, generation: 1,
      sealedKey: key.box(for: author.user, userKey.box.publicKey))
    let anyone = PermissionsEntry(
      user: nil, letters: [.writeOnce, .burn], keyringPosition: 0, generation: 0, sealedKey: [])
    return PermissionsBody(
      branch: key.branch, owner: author.user, version: 1, previous: .zeros, epoch: 1, commitment: key.commitment,
      entries: trunk == .inbox ? [anyone, owner] : [owner], olderKeys: [], author: author)
  }

  /// What is sent, and sent again byte for byte if no answer came.
  func request(token: String) -> [UInt8] {
    encode(
      WireSignUp.with {
        $0.keyring = keyring.map(\.wire)
        $0.permissions = trunks.map(\.record.wire)
        $0.token = token
      })
  }
}

/// Builds consecutive keyring entries.
struct KeyringChain {
  let user: UserID
  let now: Int64
  var position: UInt32 = 0
  var head = Hash32.zeros
  var records: [SignedRecord] = []

  init(user: UserID, now: Int64) {
    self.user = user
    self.now = now
  }

  /// Continues a keyring that exists.
  init(after keyring: Keyring, now: Int64) {
    self.init(user: keyring.user, now: now)
    position = keyring.position
    head = keyring.head
  }

  mutating func append(_ change: KeyringChange, signedBy key: SigningKey, signer: DeviceID? = nil) {
    position += 1
    let body = KeyringEntryBody(
      user: user, position: position, previous: head, signer: signer, created: now, change: change)
    let record = SignedRecord(signing: body, with: key)
    records.append(record)
    head = record.hash
  }
}
