import Glibc
import SealedDisk

/// What can go wrong with the local database.
public enum StoreError: Error, Equatable, Sendable {
  /// The folder or file cannot be written.
  case notWritable
  /// The file is not a database, or is damaged.
  case damaged
  /// It was written by a newer version of this program.
  case newer
  /// The disk is full.
  case diskFull
  /// The disk failed.
  case disk
  /// Another process held the database for too long.
  case busy
  /// It is sealed under a passphrase, and its key is not at hand.
  case locked
  /// A passphrase was set, and what lies there is not sealed: somebody put it there, or took the database away.
  case notSealed
  /// The database is gone, and what belongs to it is still there.
  case missing
  /// The database's file has other names, or is a link.
  case linked
  /// Nobody can tell what lies there.
  case unreadable

  init(_ failure: SealFailure) {
    self =
      switch failure {
      case .locked: .locked
      case .notSealed: .notSealed
      case .newer: .newer
      case .busy: .busy
      case .damaged: .damaged
      case .missing: .missing
      case .linked: .linked
      case .unreadable(let code): code == EIO ? .disk : .unreadable
      case .system(let code): StoreError(code: code)
      // SQLITE_FULL, and SQLite's failures of the disk; the rest is a file that cannot be opened or written.
      case .database(let code): code & 0xFF == 13 ? .diskFull : code & 0xFF == 10 ? .disk : .notWritable
      }
  }

  /// What the system's code of a failed call on a file comes to.
  init(code: Int32) {
    self =
      switch code {
      case ENOSPC, EDQUOT: .diskFull
      case EIO: .disk
      default: .notWritable
      }
  }
}

/// What a verb refuses because the caller got it wrong.
public enum TreeError: Error, Equatable, Sendable {
  /// There is no such node here.
  case noSuchNode
  /// What was to hang below a node has none there.
  case noParent
  /// A sibling has this name.
  case nameTaken
  /// A name is empty, or longer than 1,024 bytes.
  case nameInvalid
  /// This profile has an account.
  case alreadySignedIn
  /// This profile has no account.
  case notSignedIn
  /// This takes the root of a branch that is no trunk; a root itself cannot be deleted, only its pointer.
  case notABranch
  /// Nothing is known of this user.
  case unknownUser
  /// A change was sent and not answered: the server may have it already.
  case underWay
  /// A branch's root and messages stay where they are, and in its branch a pointer, with what it hangs below.
  case notMovable
  /// Below itself, or too deep.
  case parentInvalid
  /// The other branch has a node of the same cloudID.
  case alreadyThere
  /// This user may not write in one of the branches.
  case notPermitted
}
