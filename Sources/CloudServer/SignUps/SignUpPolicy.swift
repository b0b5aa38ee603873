import CloudAPI
public import Signing

/// Who may make an account.
public enum SignUpPolicy: Sendable {
  case open
  case closed
  /// Whoever sends this token.
  case token(SecretBytes)
  /// Whoever is on the server's own machine, and whoever sends this token.
  case local(SecretBytes)

  /// Refuses a sign-up that comes with `token`.
  func admit(token: String, isLocal: Bool) throws(Refusal) {
    switch self {
    case .open: return
    case .closed: throw .signUpClosed
    case .local where isLocal: return
    case .token(let expected), .local(let expected):
      // The comparison of secret bytes takes the same time wherever they differ.
      guard SecretBytes(Array(token.utf8)) == expected else { throw .tokenWrong }
    }
  }
}
