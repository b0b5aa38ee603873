import Sharing

extension Complaint {
  /// Of what somebody wants to say to others.
  init(_ error: PostError) {
    switch error {
    case .noRecipient: self.init("usage", .usage, "that is for nobody", hint: "say whom it is for")
    case .tooManyRecipients:
      self.init(
        "too_many", .badData, "that is for more than 256 people", hint: "say it to some, and then to the others")
    case .empty: self.init("empty", .badData, "there is nothing to say", hint: "type something, or name a file")
    case .tooLong:
      self.init("too_long", .badData, "that is longer than 32 KiB", hint: "say it in parts")
    case .onAnotherDevice:
      self.init(
        "another_device", .notPermitted, "another device of yours sent that",
        hint: "take it back there: 'todo devices' shows them")
    case .notHere:
      self.init("not_found", .notFound, "no such message is here any more", hint: "'todo sync' brings what is new")
    }
  }
}
