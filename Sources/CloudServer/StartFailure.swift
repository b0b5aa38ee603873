/// Why a server does not start. Each says what is wrong and what to do about it.
public enum StartFailure: Error, Equatable, Sendable {
  case folderUnusable(String)
  case folderInUse(String)
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
    case .folderUnusable, .addressUnusable: 73
    case .folderInUse: 75
    case .databaseUnusable, .databaseNewer: 65
    case .addressMalformed, .tokenFileMissing: 64
    case .tokenFileUnusable: 66
    }
  }
}
