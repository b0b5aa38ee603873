import Sealing

extension Complaint {
  init(_ error: PassphraseError) {
    switch error {
    case .empty: self.init("passphrase", .badData, "the passphrase is empty", hint: "choose several words")
    case .short:
      self.init(
        "passphrase", .badData, "the passphrase has fewer than \(Passphrase.least) characters",
        hint: "whoever has the disk can try all short ones; choose several words")
    case .long:
      self.init(
        "passphrase", .badData, "the passphrase is longer than \(Passphrase.most) bytes", hint: "choose a shorter one")
    case .notText:
      self.init(
        "passphrase", .badData, "the passphrase is not UTF-8, or has a zero in it", hint: "choose one that can be typed"
      )
    }
  }

  init(_ error: KeyFileError) {
    switch error {
    case .malformed:
      self.init(
        "key_damaged", .disk, "the file with the profile's key is damaged", hint: "put todo.db.key back from a backup")
    case .newer: self.init("newer", .disk, "the profile was locked by a newer todo", hint: "update todo")
    case .costTooLow, .costTooHigh:
      self.init(
        "key_changed", .notVerified, "somebody changed the file with the profile's key (\(error.rawValue))",
        hint: "nothing was done with it; put todo.db.key back from a backup")
    case .keyUnopenable:
      self.init(
        "wrong_passphrase", .notPermitted, "that is not the passphrase",
        hint: "try again; nothing was changed")
    case .noMemory:
      self.init(
        "no_memory", .tryAgain, "there is not enough memory to try a passphrase: that takes 256 MiB",
        hint: "end other programs, and try again")
    }
  }
}
