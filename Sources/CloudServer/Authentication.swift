import CloudAPI
import Signing

extension Cloud {
  /// Who signed a request: a device that is active in its user's keyring now, or the root where `root` allows it, or a device that was
  /// once active where `ended` does. Of a request whose body is still to come, who takes it checks the digest.
  func authenticate(
    _ request: CloudRequest, root: Bool = false, ended: Bool = false, bodyFollows: Bool = false
  ) throws -> Caller {
    let signature = try RequestSignature(of: request)
    let keyring = try storage.read { try memory.keyring(of: signature.caller.user, in: $0) }
    guard let key = keyring.flatMap({ Self.key(of: signature.caller, $0, root: root, ended: ended) }) else {
      throw Refusal.deviceUnknown
    }
    try admit(signature, of: request, key, bodyFollows: bodyFollows)
    return signature.caller
  }

  /// Judges the signature, and that it comes for the first time. The nonces of strangers are not remembered.
  func admit(
    _ signature: RequestSignature, of request: CloudRequest, _ key: PublicKey, bodyFollows: Bool = false
  ) throws(Refusal) {
    let now = clock.now()
    if bodyFollows {
      try signature.verify(headOf: request, key: key, now: now)
    } else {
      try signature.verify(request, key: key, now: now)
    }
    try nonces.admit(signature, now: now)
  }

  private static func key(of caller: Caller, _ keyring: Keyring, root: Bool, ended: Bool) -> PublicKey? {
    guard let device = caller.device else { return root ? keyring.rootKey : nil }
    return (ended ? keyring.devices[device] : keyring.device(device))?.signKey
  }
}
