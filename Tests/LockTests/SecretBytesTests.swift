import Signing
import Testing

@Suite struct SecretBytesTests {
  /// A key that lasts is the same one between guard pages, and is taken there once.
  @Test func aGuardedKeyIsTheSame() {
    let bytes: [UInt8] = (1...32).map { $0 }
    let secret = SecretBytes(bytes)
    let guarded = secret.guarded()
    #expect(guarded !== secret && guarded == secret && guarded.copied() == bytes)
    #expect(guarded.guarded() === guarded)
    #expect(SecretBytes([]).guarded().count == 0 && SecretBytes([]) == SecretBytes([]))
    #expect(SecretBytes([1]) != SecretBytes([2]) && SecretBytes([1]) != SecretBytes([1, 1]))
  }

  /// Keys that last ask for that by themselves.
  @Test func keysThatLastAreGuarded() {
    let root = RootKey(entropy: SecretBytes([UInt8](repeating: 7, count: 32)))
    #expect(root.entropy.guarded() === root.entropy && root.signing.seed.guarded() === root.signing.seed)
  }

  @Test func nobodyPrintsIt() {
    let secret = SecretBytes([65, 66, 67])
    #expect("\(secret)" == "(secret)" && Mirror(reflecting: secret).children.isEmpty)
  }
}
