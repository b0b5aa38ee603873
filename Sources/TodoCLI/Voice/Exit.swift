/// The exit statuses, for scripts. This is the only table; `todo help exit` prints it.
enum Exit: Int32, CaseIterable {
  case success = 0
  case usage = 64
  case badData = 65
  case notFound = 66
  case unknownUser = 67
  case unreachable = 69
  case defect = 70
  case cannotWrite = 73
  case disk = 74
  case tryAgain = 75
  case notVerified = 76
  case notPermitted = 77
  case notSignedUp = 78
  case interrupted = 130

  /// What it means, in a few words.
  var meaning: String {
    switch self {
    case .success: "done"
    case .usage: "the command line is wrong, or a question needs --yes"
    case .badData: "a title, name or other input cannot be used"
    case .notFound: "no such todo, list, invitation or device, or several fit"
    case .unknownUser: "the server knows no such user"
    case .unreachable: "the server cannot be reached, or needs a newer todo"
    case .defect: "a defect of this program"
    case .cannotWrite: "the profile's folder or a file cannot be written"
    case .disk: "the disk failed, or the profile's database is damaged"
    case .tryAgain: "not now; try again"
    case .notVerified: "not verified: what the server sent, who somebody is, or a code that was compared"
    case .notPermitted: "your role or the server does not permit it, this device was ended, or the profile is locked"
    case .notSignedUp: "this needs an account"
    case .interrupted: "interrupted"
    }
  }

  /// The table as `todo help exit` shows it.
  static var table: String {
    let lines = allCases.map { "\(pad(String($0.rawValue), to: 5, left: true))  \($0.meaning)" }
    return "Exit statuses of todo:\n\n" + lines.joined(separator: "\n")
  }
}
