import CloudAPI
import Sealing
import Signing
import Testing

@testable import Sharing
@testable import Treesystem

/// What people compare and pass on: invite codes (spec §8.3), the codes of logins (§2.6), and the boxes that anybody can make again (§3.1).
@Suite struct CodeVectors {
  struct CodeCase: Decodable {
    let expect, text: String
    let written, handle: String?
    let id, inviter, claimant, branch, claim, answer: Hex?
  }

  @Test(arguments: Vector.all("code")) func code(_ vector: Vector) throws {
    let item = try vector.decode(CodeCase.self)
    guard item.expect == "ok" else {
      #expect(item.expect == "malformed")
      #expect(InviteCode(text: item.text) == nil)
      return
    }
    let code = try #require(InviteCode(text: item.text))
    let (inviter, claimant) = (try #require(item.inviter).id(UserID.self), try #require(item.claimant).id(UserID.self))
    #expect(code.text == item.written)
    #expect(code.handle == item.handle)
    #expect(code.id == item.id?.bytes)
    #expect(code.claim(by: claimant, to: inviter) == item.claim?.bytes)
    #expect(code.answer(by: inviter, to: claimant, branch: try #require(item.branch).id()) == item.answer?.bytes)
  }

  struct LoginCase: Decodable {
    let expect: String
    let user, device, login, nonce, opening, commitment: Hex
    let newDevice: Hex?
    let name, code: String?
  }

  @Test(arguments: Vector.all("login")) func login(_ vector: Vector) throws {
    let item = try vector.decode(LoginCase.self)
    let login: LoginID = try item.login.id()
    var opening: LoginOpening?
    let result = try outcome {
      opening = try LoginOpening(bytes: item.opening.bytes, of: login, commitment: item.commitment.id())
    }
    #expect(result == item.expect)
    guard let opening else { return }
    #expect(opening.commitment(for: login).bytes == item.commitment.bytes)
    #expect(opening.device.bytes == item.newDevice?.bytes)
    #expect(opening.name == item.name)
    let code = LoginCode(
      user: try item.user.id(), device: try item.device.id(), login: login, nonce: item.nonce.bytes,
      opening: opening.bytes)
    #expect(code.description == item.code)
  }

  struct BoxCase: Decodable {
    let expect: String
    let branchKey, branch, user, userPublicKey, userSecretKey, sealed: Hex
    let epoch: UInt64
  }

  @Test(arguments: Vector.all("box")) func box(_ vector: Vector) throws {
    let item = try vector.decode(BoxCase.self)
    let key = BranchKey(
      branch: try item.branch.id(), epoch: item.epoch, secret: SecretBytes(item.branchKey.bytes))
    let box = key.box(for: try item.user.id(), try item.userPublicKey.id())
    #expect((box == item.sealed.bytes) == (item.expect == "ok"))
    let user = BoxKey(secret: SecretBytes(item.userSecretKey.bytes))
    #expect(user.open(sealedBox: box) == key.secret)
  }
}
