import CloudAPI
import CloudClient
import Formats
import Pictures
import Sealing
import Sharing
import Signing
import Testing
import TodoCore
import Treesystem

@testable import TodoCLI

/// Every error that can come up from below has words of its own. A case that is new does not compile here until it is in
/// its chain; one that is in no chain is not tried.
struct ComplaintTests {
  private let errors: [any Error] =
    chain(StoreError.next) + chain(PassphraseError.next) + KeyFileError.allCases.map { $0 as any Error }
    + chain(TreeError.next) + chain(ShareError.next) + chain(LogInFailure.next)
    + chain(DeviceFailure.next) + chain(MoveFailure.next)
    + chain(TitleError.next) + chain(ListNameError.next) + chain(NoteError.next) + chain(TagError.next)
    + chain(DocumentError.next) + chain(WordsError.next) + chain(CloudFailure.next)
    + Refusal.allCases.map { $0 as any Error } + PictureError.allCases.map { $0 as any Error }
    + PostError.allCases.map { $0 as any Error }

  @Test func everyErrorHasWordsOfItsOwnAndSomethingToDo() {
    #expect(errors.count > 90)
    let files: [any Error] = FileSealError.allCases.map { $0 } + FileFault.allCases.map { $0 }
    let calendars: [any Error] = CalendarError.allCases.map { $0 }
    for error in errors + files + calendars {
      let complaint = Complaint(error)
      #expect(complaint.exit != .defect, "\(error)")
      #expect(!complaint.message.isEmpty && !complaint.hint.isEmpty, "\(error)")
      for line in [complaint.message, complaint.hint] {
        #expect(line.last != "." && line.first?.isUppercase == false, "\(line)")
      }
    }
  }

  @Test func anOwnerIsNotSentToAskTheOwner() {
    #expect(Complaint.refused(to: "take bob off 'Home'", [.letterMissing]).hint.contains("owner or admin"))
    let hint = Complaint.refused(to: "take bob off 'Home'", [.letterMissing, .refusalUnfounded]).hint
    #expect(hint.contains("every sync") && !hint.contains("ask"))
  }

  @Test func nobodyIsToldToSignUpUnderANameThatIsNone() {
    let server = "todo.example.org"
    #expect(Complaint.unknownUser("bob", server: server).hint.hasSuffix("todo signup bob --server todo.example.org"))
    for name in ["bob smith", "", "böb", String(repeating: "b", count: 33)] {
      let complaint = Complaint.unknownUser(name, server: server)
      #expect(!complaint.hint.contains("todo signup") && complaint.exit == .unknownUser)
    }
  }

  @Test func everyDeadCodeSaysWhy() {
    let words = DeadCode.allCases.map { $0.words("alice") }
    #expect(Set(words).count == DeadCode.allCases.count)
    for line in words { #expect(line.contains("alice") && line.last != "." && line.first?.isUppercase == false) }
  }

  @Test(arguments: [
    ("7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN", "the name of whoever made it"),
    ("7k2q-mxpa-hj4s-9vwd-3tqe-corn@todo.example.org", "the name of whoever made it"),
    ("7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN.alice", "its server"), ("7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN.alice@", "its server"),
    ("7K2Q-MXPA-HJ4S-9VWD-3TQE-C0RN.alice@todo.example.org", "a slip"),
  ])
  func halfACodeSaysWhatIsMissing(text: String, missing: String) {
    let complaint = #expect(throws: Complaint.self) { try TypedCode(text) }
    #expect(complaint?.kind == "code" && complaint?.message.contains(missing) == true)
  }

  @Test(arguments: ["1", "Groceries", "v1.0", "St. Mary-le-Bow", "Groceries-and-milk", "bob@todo.example.org"])
  func aTitleIsNoCode(text: String) throws { #expect(try TypedCode(text) == nil) }

  @Test func aServersNameIsSaidWithWhatIsWrongWithIt() {
    for failure in chain(ServerAddress.Failure.next) {
      #expect(Complaint(failure, "http://example.org").kind == "server_name")
    }
  }
}

/// All that follow each other, from the first to the last.
private func chain<Element>(_ next: @escaping (Element?) -> Element?) -> [Element] {
  Array(sequence(first: next(nil)) { next($0) }.prefix { $0 != nil }.compactMap { $0 })
}

extension StoreError {
  fileprivate static func next(_ error: StoreError?) -> StoreError? {
    switch error {
    case nil: .notWritable
    case .notWritable: .damaged
    case .damaged: .newer
    case .newer: .diskFull
    case .diskFull: .disk
    case .disk: .busy
    case .busy: .locked
    case .locked: .notSealed
    case .notSealed: .missing
    case .missing: .linked
    case .linked: .unreadable
    case .unreadable: nil
    }
  }
}

extension PassphraseError {
  fileprivate static func next(_ error: PassphraseError?) -> PassphraseError? {
    switch error {
    case nil: .empty
    case .empty: .short
    case .short: .long
    case .long: .notText
    case .notText: nil
    }
  }
}

extension TreeError {
  fileprivate static func next(_ error: TreeError?) -> TreeError? {
    switch error {
    case nil: .noSuchNode
    case .noSuchNode: .noParent
    case .noParent: .nameTaken
    case .nameTaken: .nameInvalid
    case .nameInvalid: .alreadySignedIn
    case .alreadySignedIn: .notSignedIn
    case .notSignedIn: .notABranch
    case .notABranch: .unknownUser
    case .unknownUser: .underWay
    case .underWay: .notMovable
    case .notMovable: .parentInvalid
    case .parentInvalid: .alreadyThere
    case .alreadyThere: .notPermitted
    case .notPermitted: nil
    }
  }
}

extension ShareError {
  fileprivate static func next(_ error: ShareError?) -> ShareError? {
    switch error {
    case nil: .notPermitted
    case .notPermitted: .withOneself
    case .withOneself: .ownerStays
    case .ownerStays: .noSuchInvite
    case .noSuchInvite: .unknownUser("bob")
    case .unknownUser: .identityChanged("bob")
    case .identityChanged: .blocked("bob")
    case .blocked: .accountDeleted("bob")
    case .accountDeleted: .otherNumber("bob")
    case .otherNumber: .notOwner
    case .notOwner: .notAMember
    case .notAMember: .unsentChanges
    case .unsentChanges: .expired
    case .expired: .offerOver
    case .offerOver: .closed
    case .closed: .closing
    case .closing: .leaving
    case .leaving: .takingOver
    case .takingOver: nil
    }
  }
}

extension DeviceFailure {
  fileprivate static func next(_ failure: DeviceFailure?) -> DeviceFailure? {
    switch failure {
    case nil: .unknown
    case .unknown: .thisOne
    case .thisOne: .noLogin
    case .noLogin: .wrongCode(left: 2)
    case .wrongCode: .withdrawn
    case .withdrawn: .untrusted
    case .untrusted: .noRoom
    case .noRoom: .tooManyDevices
    case .tooManyDevices: .tooOften
    case .tooOften: nil
    }
  }
}

extension MoveFailure {
  fileprivate static func next(_ failure: MoveFailure?) -> MoveFailure? {
    switch failure {
    case nil: .unknownAccount
    case .unknownAccount: .otherPast
    case .otherPast: .behind
    case .behind: nil
    }
  }
}

extension LogInFailure {
  fileprivate static func next(_ failure: LogInFailure?) -> LogInFailure? {
    switch failure {
    case nil: .unknownWords
    case .unknownWords: .otherHandle("alice")
    case .otherHandle: .unknownHandle("alice")
    case .unknownHandle: .accountDeleted("alice")
    case .accountDeleted: .tooManyLogins
    case .tooManyLogins: .denied
    case .denied: .loginEnded
    case .loginEnded: .notAdded
    case .notAdded: nil
    }
  }
}

extension TitleError {
  fileprivate static func next(_ error: TitleError?) -> TitleError? {
    switch error {
    case nil: .empty
    case .empty: .tooLong(bytes: 10_001)
    case .tooLong: .controlCharacter
    case .controlCharacter: nil
    }
  }
}

extension ListNameError {
  fileprivate static func next(_ error: ListNameError?) -> ListNameError? {
    switch error {
    case nil: .title(.empty)
    case .title(let title): TitleError.next(title).map { .title($0) } ?? .slash
    case .slash: .firstCharacter("-")
    case .firstCharacter: nil
    }
  }
}

extension NoteError {
  fileprivate static func next(_ error: NoteError?) -> NoteError? {
    switch error {
    case nil: .tooLong(bytes: 20_000)
    case .tooLong: .controlCharacter
    case .controlCharacter: nil
    }
  }
}

extension TagError {
  fileprivate static func next(_ error: TagError?) -> TagError? {
    switch error {
    case nil: .empty
    case .empty: .tooLong(bytes: 65)
    case .tooLong: .notAWord
    case .notAWord: .tooMany
    case .tooMany: nil
    }
  }
}

extension DocumentError {
  fileprivate static func next(_ error: DocumentError?) -> DocumentError? {
    switch error {
    case nil: .malformed
    case .malformed: .endOfTime
    case .endOfTime: nil
    }
  }
}

extension WordsError {
  fileprivate static func next(_ error: WordsError?) -> WordsError? {
    switch error {
    case nil: .count(12)
    case .count: .unknownWord(3)
    case .unknownWord: .checksum
    case .checksum: nil
    }
  }
}

extension CloudFailure {
  fileprivate static func next(_ failure: CloudFailure?) -> CloudFailure? {
    switch failure {
    case nil: .unreachable
    case .unreachable: .nonsense
    case .nonsense: .tooLarge
    case .tooLarge: .serverNewer
    case .serverNewer: .refused(.internal)
    case .refused: nil
    }
  }
}

extension ServerAddress.Failure {
  fileprivate static func next(_ failure: ServerAddress.Failure?) -> ServerAddress.Failure? {
    switch failure {
    case nil: .malformed
    case .malformed: .plainNotLoopback
    case .plainNotLoopback: nil
    }
  }
}
