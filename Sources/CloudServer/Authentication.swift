public import CloudAPI
import Signing

/// What the head of a request says about its body.
public enum HeadJudgement: Sendable {
  /// So many bytes of it are taken at most.
  case taken(upTo: Int)
  case refused(CloudResponse)
}

extension Cloud {
  /// Who signed a request: a device that is active now, or the root where `root` allows it, or a device that was once active where `ended`
  /// does. Of a request whose body is still to come, who takes it checks the digest.
  func authenticate(
    _ request: CloudRequest, root: Bool = false, ended: Bool = false, bodyFollows: Bool = false
  ) throws -> Caller {
    try signer(of: request, root: root, ended: ended, bodyFollows: bodyFollows).caller
  }

  /// The same with the key.
  func signer(
    of request: CloudRequest, root: Bool = false, ended: Bool = false, bodyFollows: Bool = false
  ) throws -> (caller: Caller, key: PublicKey) {
    let signature = try RequestSignature(of: request)
    let key = try key(of: signature.caller, root: root, ended: ended)
    try admit(signature, of: request, key, bodyFollows: bodyFollows)
    return (signature.caller, key)
  }

  /// Judges the signature, and that it comes for the first time. The nonces of strangers are not remembered.
  func admit(
    _ signature: RequestSignature, of request: CloudRequest, _ key: PublicKey, bodyFollows: Bool = false
  ) throws(Refusal) {
    if !bodyFollows { try signature.verify(bodyOf: request) }
    try verify(signature, headOf: request, key)
    try nonces.admit(signature, now: clock.now())
  }

  private func verify(_ signature: RequestSignature, headOf request: CloudRequest, _ key: PublicKey) throws(Refusal) {
    try signature.verify(headOf: request, key: key, now: clock.now()) { key, signature, message in
      memory.signatures.verifies(key, signature, plain: message)
    }
  }

  /// The signature of a request's head, whoever of an account has signed it. Nothing is admitted by that yet.
  func signedHead(of request: CloudRequest) throws -> RequestSignature {
    let signature = try RequestSignature(of: request)
    try verify(signature, headOf: request, try key(of: signature.caller, root: true, ended: true))
    return signature
  }

  /// One row of storage, whatever the caller's keyring is.
  private func key(of caller: Caller, root: Bool, ended: Bool) throws -> PublicKey {
    guard caller.device != nil || root,
      let signer = try storage.read({ try $0.signer(caller.device, of: caller.user) }), ended || !signer.hasEnded
    else { throw Refusal.deviceUnknown }
    return signer.signKey
  }

  /// Judges the head of a request before its body is kept: a stranger's is short, or not taken at all.
  public func judgeHead(_ request: CloudRequest) -> HeadJudgement {
    var limit = Limits.bodyBytes
    let response = answering {
      guard let route = Route(method: request.method, path: request.path) else { throw Refusal.notFound }
      if route != .health { try checkProtocol(request) }
      switch route {
      case .health, .logins, .loginPoll, .accounts: limit = ServerLimits.strangersBodyBytes
      case .keyringAppend:
        // A device that is only just added is a stranger; one that has ended may not have heard that its last entry was kept.
        let signature = try RequestSignature(of: request)
        let signer = try storage.read { try $0.signer(signature.caller.device, of: signature.caller.user) }
        guard let signer else {
          limit = ServerLimits.strangersBodyBytes
          break
        }
        try verify(signature, headOf: request, signer.signKey)
      default: _ = try signedHead(of: request)
      }
      return CloudResponse(status: 200)
    }
    return response.status == 200 ? .taken(upTo: limit) : .refused(response)
  }
}
