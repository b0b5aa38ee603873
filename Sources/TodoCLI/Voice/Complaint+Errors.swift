import CloudAPI
import CloudClient
import Formats
import Pictures
import Sealing
import Sharing
import Signing
import TodoCore
import Treesystem

extension Complaint {
  /// The one table from errors to what is said about them and to exit statuses.
  init(_ error: any Error) {
    switch error {
    case let complaint as Complaint: self = complaint
    case let error as TitleError: self.init(error)
    case let error as ListNameError: self.init(error)
    case let error as InlineFieldError: self.init(error)
    case let error as NoteError: self.init(error)
    case let error as TagError: self.init(error)
    case let error as WordsError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as PassphraseError: self.init(error)
    case let error as KeyFileError: self.init(error)
    case let error as TreeError: self.init(error)
    case let error as ShareError: self.init(error)
    case let error as PostError: self.init(error)
    case let failure as CloudFailure: self.init(failure)
    case let refusal as Refusal: self.init(refusal)
    case let failure as LogInFailure: self.init(failure)
    case let failure as DeviceFailure: self.init(failure)
    case let failure as MoveFailure: self.init(failure)
    case let error as DocumentError: self.init(error)
    case let error as PictureError: self.init(error)
    case let error as CalendarError: self.init(error)
    case let error as FileSealError: self.init(error)
    case let fault as FileFault: self.init(fault)
    case is CancellationError:
      self.init("interrupted", .interrupted, "interrupted", hint: "what was done until then is stored")
    default:
      self.init(
        "defect", .defect, "a defect of todo: \(type(of: error))",
        hint: "'todo status' shows whether anything is unsent")
    }
  }

  private init(_ error: StoreError) {
    switch error {
    case .notWritable:
      self.init(
        "cannot_write", .cannotWrite, "cannot write in the profile's folder",
        hint: "make it writable, or set TODO_HOME to another folder")
    case .damaged:
      self.init(
        "damaged", .disk, "the profile's database is damaged, or is no database",
        hint: "nothing was deleted; move the profile's folder away and sign in again, or restore it from a backup")
    case .newer:
      self.init("newer", .disk, "the profile was written by a newer todo", hint: "update todo")
    case .diskFull:
      self.init("disk_full", .cannotWrite, "the disk is full", hint: "free some space and try again; nothing was lost")
    case .disk:
      self.init("disk", .disk, "the disk failed", hint: "check the disk; nothing was deleted")
    case .busy:
      self.init("busy", .tryAgain, "another todo is busy with this profile", hint: "try again in a moment")
    case .locked: self.init("locked", .notPermitted, "the profile is locked", hint: "todo unlock")
    case .notSealed:
      self.init(
        "not_sealed", .notVerified, "this profile has a passphrase, and its database is gone or is one without",
        hint: "nothing was opened; put todo.db back from a backup, or move todo.db.key away if you know this database")
    case .missing:
      self.init(
        "database_missing", .disk, "the profile's database is gone, and what belongs to it is still here",
        hint: "nothing was deleted; put todo.db back from a backup, or move the profile's folder away to begin anew")
    case .linked:
      self.init(
        "linked", .cannotWrite, "todo.db is a link or has another name, under which it would stay readable",
        hint: "nothing was changed; put a copy of the file in its place, and remove what the other names lead to")
    case .unreadable:
      self.init(
        "cannot_read", .cannotWrite, "cannot read what lies in the profile's folder",
        hint: "nothing was changed; look whose todo.db and todo.db.key are, and whether too many files are open")
    }
  }

  private init(_ error: TreeError) {
    switch error {
    case .notSignedIn: self = .notSignedUp
    case .alreadySignedIn:
      self.init(
        "signed_in", .usage, "this profile is signed in already",
        hint: "use another: --profile <name>, or 'todo logout'")
    case .noSuchNode, .noParent:
      self.init("not_found", .notFound, "that is not here any more", hint: "'todo ls' shows what is")
    case .underWay:
      self.init(
        "under_way", .tryAgain, "that change was sent and not answered yet", hint: "run 'todo sync', then try again")
    case .unknownUser:
      self.init(
        "unknown_user", .unknownUser, "nobody is known by that name", hint: "'todo users <name>' looks somebody up")
    case .notPermitted:
      self.init(
        "not_permitted", .notPermitted, "you may not change that list", hint: "'todo members <list>' shows who may")
    case .nameTaken, .alreadyThere:
      self.init(
        "exists", .badData, "something of that name is there already", hint: "choose another name; nothing was changed")
    case .nameInvalid:
      self.init("name", .badData, "that cannot be a name", hint: "choose a short name of one line; nothing was changed")
    case .notABranch:
      self.init("not_a_list", .notFound, "that is no list, or none any more", hint: "'todo lists' shows them all")
    case .notMovable, .parentInvalid:
      self.init(
        "not_movable", .usage, "that cannot be moved there", hint: "todos move to lists; nothing was changed")
    }
  }

  private init(_ error: DocumentError) {
    switch error {
    case .malformed: self.init(StoreError.damaged)
    case .endOfTime:
      self.init(
        "end_of_time", .badData, "this cannot be changed any more: somebody's clock was set to the end of time",
        hint: "add it anew, and remove this one")
    }
  }

  private init(_ error: ShareError) {
    switch error {
    case .notPermitted:
      self.init(
        "not_permitted", .notPermitted, "your role does not let you share this list",
        hint: "ask its owner or an admin: 'todo members <list>'")
    case .withOneself: self.init("usage", .usage, "that is you", hint: "name somebody else after --with")
    case .ownerStays:
      self.init(
        "not_permitted", .notPermitted, "the owner's role cannot be changed", hint: "'todo members <list>' shows all")
    case .noSuchInvite:
      self.init("unknown_invite", .notFound, "no such invitation", hint: "'todo invites' shows those that are open")
    case .identityChanged(let handle):
      self.init(
        "identity_changed", .notVerified, "\(Self.shortened(handle)) is not the one you met under this name",
        hint: "ask them another way, and compare: todo users verify \(Self.shortened(handle))")
    case .blocked(let handle):
      self.init(
        "blocked", .notPermitted, "you have blocked \(Self.shortened(handle))",
        hint: "todo users unblock \(Self.shortened(handle))")
    case .otherNumber(let handle):
      self.init(
        "other_number", .notVerified, "the numbers of you and \(Self.shortened(handle)) were not the same",
        hint: "ask them another way, and compare once more: todo users verify \(Self.shortened(handle))")
    case .notOwner:
      self.init(
        "not_owner", .notPermitted, "only its owner can give a list away",
        hint: "'todo members <list>' shows who that is")
    case .notAMember:
      self.init(
        "not_a_member", .notFound, "only somebody who shares the list can become its owner",
        hint: "share it with them first, without --role owner")
    case .unsentChanges:
      self.init(
        "unsent_changes", .badData, "changes of yours on this list were not taken, and would be lost with it",
        hint: "'todo status' shows them; 'todo sync --discard' gives them up")
    case .offerOver:
      self.init(
        "offer_over", .notFound, "that offer is over: it was taken back, or you are on the list no more",
        hint: "'todo members <list>' shows how things stand; ask its owner to offer it again")
    case .closed:
      self.init(
        "list_deleted", .notPermitted, "this list was deleted by its owner",
        hint: "'todo lists keep <list>' makes a list of your own of it")
    case .closing: self = .deleting
    case .leaving: self = .leaving
    case .takingOver: self = .takingOver
    case .accountDeleted(let handle):
      self.init(
        "account_deleted", .notPermitted, "\(Self.shortened(handle)) has deleted their account",
        hint: "if they have another, it has another name: ask them")
    case .expired:
      self.init("expired", .notFound, "that invitation has expired", hint: "ask for another")
    case .unknownUser(let handle):
      self.init("unknown_user", .unknownUser, "no user '\(handle)'", hint: "'todo users <name>' looks somebody up")
    }
  }

  private init(_ failure: DeviceFailure) {
    switch failure {
    case .noLogin:
      self.init(
        "no_login", .notFound, "no such device wants to be added",
        hint: "'todo devices' shows those that do; on the new one: todo login <name> --server <host> --approve"
      )
    case .wrongCode(let left):
      self.init(
        "wrong_code", .notVerified, "no device that wants to be added shows this code",
        hint: "read it again on the new device; after \(counted(left, "more wrong code")) it has to ask anew")
    case .withdrawn:
      self.init(
        "withdrawn", .notVerified, "too many wrong codes: nothing is added",
        hint: "ask again on the new device; if its code is right and is refused again, use your recovery words")
    case .untrusted:
      self.init(
        "untrusted", .notVerified, "that device is not the one that asked, or its code was wrong too often",
        hint: "todo devices deny, and ask again on the new device")
    case .noRoom:
      self.init(
        "no_room", .notPermitted, "this account has no room for what devices sign",
        hint: "devices can still be ended; to add one, use your recovery words: todo login <name> --server <host>")
    case .tooManyDevices:
      self.init(
        "too_many_devices", .notPermitted, "this account has \(Limits.devices) devices, and more cannot be added",
        hint: "end one that you do not use any more: todo devices revoke <device>")
    case .tooOften:
      self.init(
        "too_often", .tryAgain, "the devices of this account have changed too often today",
        hint: "try again tomorrow; ending a device works at any time")
    case .unknown:
      self.init("unknown_device", .notFound, "your account has no such device", hint: "'todo devices' shows them all")
    case .thisOne:
      self.init(
        "usage", .usage, "that is the device you are using",
        hint: "'todo logout' takes the account off it; ending it takes another device")
    }
  }

  private init(_ failure: MoveFailure) {
    let hint = "nothing was changed; check the address, and ask whoever runs the server"
    switch failure {
    case .unknownAccount:
      self.init("other_server", .unknownUser, "the server there does not know this device", hint: hint)
    case .otherPast:
      self.init("other_past", .notVerified, "the server there shows another past than you have read", hint: hint)
    case .behind:
      self.init("behind", .notVerified, "the server there lacks what you have read already", hint: hint)
    }
  }

  private init(_ failure: LogInFailure) {
    switch failure {
    case .unknownHandle(let handle):
      self.init(
        "unknown_user", .unknownUser, "the server knows nobody called '\(Self.shortened(handle))'",
        hint: "check the name, and the server's")
    case .accountDeleted(let handle):
      self.init(
        "account_deleted", .notPermitted, "the account '\(Self.shortened(handle))' was deleted",
        hint: "nobody can use that name again; sign up under another")
    case .tooManyLogins:
      self.init(
        "too_many_logins", .tryAgain, "too many devices wait for approval",
        hint: "on one of your devices: todo devices deny; or try again in ten minutes")
    case .denied:
      self.init(
        "denied", .notPermitted,
        "another device of yours refused to add this one, or was given a wrong code three times",
        hint:
          "run the same again for a new code; if its codes are refused though they are right, use your recovery words"
      )
    case .loginEnded:
      self.init(
        "login_ended", .tryAgain, "it was not approved within ten minutes, or the server was started again",
        hint: "run the same once more, and begin anew")
    case .notAdded:
      self.init(
        "not_added", .notVerified, "the account does not have this device, or not from the one whose code was compared",
        hint: "nothing was sent there; look at 'todo devices' on your other device, and begin anew")
    case .unknownWords:
      self.init(
        "unknown_words", .unknownUser, "the server knows nobody with these words",
        hint: "check the words and the server's name")
    case .otherHandle(let handle):
      self.init(
        "other_handle", .unknownUser, "these words belong to '\(handle)'", hint: "sign in as \(handle)")
    }
  }
}

extension Complaint {
  /// What a command that needs an account says: an instruction.
  static let notSignedUp = Complaint(
    "not_signed_up", .notSignedUp, "this needs an account",
    hint: "todo signup <your name> --server <host>; your lists stay and are uploaded")

  /// Whom the server does not know.
  static let unknownUserKind = "unknown_user"

  static func unknownUser(_ handle: String, server: String) -> Complaint {
    Complaint(
      unknownUserKind, .unknownUser, "no \(shortened(handle)) on \(server)",
      hint: isValidHandle(handle)
        ? "ask them to run: todo signup \(handle) --server \(server)"
        : "a name is up to 32 of a-z, 0-9, '-' and '_', without spaces; 'todo whoami' shows them theirs")
  }

  init(_ failure: ServerAddress.Failure, _ text: String) {
    switch failure {
    case .malformed:
      self.init(
        "server_name", .usage, "'\(Self.shortened(text))' is no server", hint: "give a name such as todo.example.org")
    case .plainNotLoopback:
      self.init(
        "server_name", .usage, "plain http works only on this machine", hint: "leave out http:// to use https")
    }
  }

  private init(_ failure: CloudFailure) {
    switch failure {
    case .unreachable:
      self.init(
        "unreachable", .unreachable, "the server cannot be reached",
        hint: "nothing is lost; try again when it can be")
    case .nonsense:
      self.init(
        "nonsense", .notVerified, "the server answers what no todo-server says",
        hint: "check the server's name with 'todo whoami'; nothing was lost")
    case .tooLarge:
      self.init(
        "too_large", .unreachable, "something between here and the server takes no requests of this size",
        hint:
          "nothing was lost; whoever runs the server raises its proxy's limit (nginx: client_max_body_size \(Limits.partBytes >> 20 + 1)m)"
      )
    case .serverNewer:
      self.init(
        "server_newer", .unreachable, "the server needs a newer todo", hint: "update todo; your changes are stored here"
      )
    case .refused(let refusal): self.init(refusal)
    }
  }

  private init(_ refusal: Refusal) {
    switch refusal {
    case .signUpClosed:
      self.init(
        "sign_up_closed", .notPermitted, "this server takes no new accounts",
        hint: "ask whoever runs it, or choose another")
    case .restoreClosed:
      self.init(
        "restore_closed", .notPermitted, "the server takes nothing back: whoever runs it has not said that it may",
        hint:
          "ask them to stop todo-server and start it with --accept-restores too; once it runs, here and on the devices of those who share your lists: todo doctor --repair-server"
      )
    case .tokenWrong:
      self.init(
        "token_wrong", .notPermitted, "this server asks for a sign-up token",
        hint: "add --token and give it through standard input")
    case .otherServer:
      self.init(
        "server_name", .usage, "the server goes by another name than that",
        hint: "ask whoever runs it for its name: it was started with --name")
    case .handleTaken:
      self.init(
        "handle_taken", .badData, "that name is taken on this server",
        hint: "choose another, or sign in with 'todo login' if it is yours")
    case .clockSkew:
      self.init("clock_skew", .tryAgain, "this machine's clock is wrong", hint: "set the clock and try again")
    case .tooMany, .tooSlow, .nonceSeen, .internal, .diskFull:
      self.init(
        "server_busy", .tryAgain, "the server cannot do it now (\(refusal.rawValue))",
        hint: "try again later; your changes are stored here")
    case .quotaExceeded:
      self.init(
        "quota_exceeded", .notPermitted, "what you keep there takes all the room that the server gives you",
        hint: "take off some images, or delete what you do not need; an image makes room a week later")
    case .deviceUnknown:
      self.init(
        "device_unknown", .notPermitted, "the server does not know this device any more",
        hint:
          "nothing here is lost; if the server was put back to a backup: todo doctor --repair-server; else todo logout --keep-lists, then todo login"
      )
    case .letterMissing, .branchDenied:
      self.init(
        "not_permitted", .notPermitted, "the server does not permit it (\(refusal.rawValue))",
        hint: "'todo status' shows what it refused")
    case .clientTooOld: self.init(CloudFailure.serverNewer)
    case .listsShared:
      self.init(
        "lists_shared", .notPermitted, "others share a list of yours",
        hint: "'todo lists' shows which: nothing was deleted")
    case .accountDeleted:
      self.init(
        "account_deleted", .notPermitted, "that account was deleted", hint: "nobody can use its name again")
    default:
      self.init(
        "not_verified", .notVerified, "what the server sent did not verify (\(refusal.rawValue))",
        hint: "nothing of it was believed; 'todo status' shows more")
    }
  }
}
