import Foundation

/// Why a server does not start. Each says what is wrong and what to do about it.
public enum StartFailure: Error, Equatable, Sendable {
  case folderUnusable(String)
  case folderInUse(String)
  case diskFull(String)
  case diskFailed(String)
  case databaseUnusable(String)
  case databaseNewer(String)
  case addressMalformed(String)
  case addressUnusable(String)
  case tokenFileUnusable(String)
  case tokenFileMissing

  /// What is wrong, in one line.
  public var message: String {
    switch self {
    case .folderUnusable(let folder): "cannot use the folder \(folder)"
    case .folderInUse(let folder): "another todo-server uses the folder \(folder)"
    case .diskFull(let folder): "the disk of \(folder) is full"
    case .diskFailed(let folder): "the disk of \(folder) failed"
    case .databaseUnusable(let folder): "cannot open the database in \(folder)"
    case .databaseNewer(let folder): "a newer todo-server wrote the database in \(folder)"
    case .addressMalformed(let address): "\(address) is not HOST:PORT"
    case .addressUnusable(let address): "cannot listen on \(address)"
    case .tokenFileUnusable(let file): "cannot read a token from \(file)"
    case .tokenFileMissing: "sign-up by token needs a token"
    }
  }

  /// What to do about it, in one line.
  public var hint: String {
    switch self {
    case .folderUnusable: "--data names a folder that this user may write to"
    case .folderInUse: "stop the other one first, or give --data another folder"
    case .diskFull: "free some space and start it again; nothing was lost"
    case .diskFailed: "check the disk; nothing was deleted"
    case .databaseUnusable: "put back a backup, or give --data an empty folder"
    case .databaseNewer: "update todo-server"
    case .addressMalformed: "for example 127.0.0.1:8080; port 0 picks a free one"
    case .addressUnusable: "is the port in use, or below 1024, or the host not one of this machine?"
    case .tokenFileUnusable: "the file holds the token in its first line"
    case .tokenFileMissing: "give --sign-up-token-file FILE"
    }
  }

  /// The exit status, as in sysexits.h.
  public var exitStatus: Int32 {
    switch self {
    case .folderUnusable, .addressUnusable, .diskFull: 73
    case .diskFailed: 74
    case .folderInUse: 75
    case .databaseUnusable, .databaseNewer: 65
    case .addressMalformed, .tokenFileMissing: 64
    case .tokenFileUnusable: 66
    }
  }
}

extension StartFailure {
  /// What the system's code of a failed call on a file of the folder comes to.
  init(code: Int32, _ folder: String) {
    self =
      switch code {
      case ENOSPC, EDQUOT: .diskFull(folder)
      case EIO: .diskFailed(folder)
      default: .folderUnusable(folder)
      }
  }
}

extension StartFailure {
  /// Says of a folder what storage could not do with it.
  static func naming<T>(_ folder: String, _ body: (String) throws -> T) throws -> T {
    do {
      return try body(folder)
    } catch StorageFailure.full {
      throw StartFailure.diskFull(folder)
    } catch StorageFailure.disk(let code) {
      throw StartFailure(code: code, folder)
    } catch is StorageFailure {
      throw StartFailure.folderUnusable(folder)
    }
  }
}
