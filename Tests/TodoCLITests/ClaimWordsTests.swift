import Signing
import Testing

@testable import Sharing
@testable import TodoCLI

/// What somebody reads who has typed a code and hears nothing.
struct ClaimWordsTests {
  private func claim(_ dead: DeadCode?, isLate: Bool) -> OpenClaim {
    OpenClaim(
      id: [], beginning: "7K2Q", inviter: "alice", inviterID: UserID(bytes: [UInt8](repeating: 1, count: 20))!, made: 0,
      expires: 7 * 24 * 3600 * 1000, dead: dead, isLate: isLate)
  }

  /// Nothing says which it is: a server that holds a message back looks the same as a person who does.
  @Test func silenceHasTwoCauses() {
    for claim in [claim(nil, isLate: true), claim(.unanswered, isLate: true)] {
      #expect(claim.words.contains("did not sync, or alice does not let you in with it"), "\(claim.words)")
      #expect(!claim.words.contains("block") && !claim.words.contains("expired"), "\(claim.words)")
    }
    #expect(claim(nil, isLate: true).words.contains("no answer since it was typed, "))
    #expect(claim(.unanswered, isLate: true).words.hasSuffix("; ask for another"))
  }

  @Test func atFirstItOnlyWaits() {
    #expect(claim(nil, isLate: false).words.contains("waits for the device that made it to sync, until "))
    #expect(claim(.expired, isLate: true).words.contains("has expired"))
  }
}
