import Sharing

/// Of messages that wait: the first half is written once, and a copy of it goes to whom it is for.
extension ChangeWords {
  /// Writing it.
  init(writing message: MessageKind?) {
    self.init(kinds: [message.kind], text: "writing \(message.noun)")
  }

  /// Sending it.
  init(sending message: MessageKind?, to person: String) {
    self.init(kinds: [message.kind], text: message.sending(to: person))
  }
}

extension MessageKind? {
  fileprivate var kind: ChangeWords.Kind {
    switch self {
    case .invitation, nil: .invited
    case .offer: .shared
    case .joined, .acceptance, .claim: .accepted
    case .decline, .withdrawal, .refusal: .unshared
    case .post, .signal: .messaged
    }
  }

  fileprivate var noun: String {
    switch self {
    case .invitation: "an invitation"
    case .offer: "an offer to own a list"
    case .withdrawal: "word of a removal"
    case .joined: "word that you took a list"
    case .decline: "word that you declined"
    case .acceptance: "word that you take a list over"
    case .claim: "word that you have a code"
    case .refusal: "word that a code is worth nothing"
    case .post: "what you said"
    case .signal: "a signal"
    case nil: "a message"
    }
  }

  fileprivate func sending(to person: String) -> String {
    switch self {
    case .invitation: "inviting \(person)"
    case .offer: "offering a list to \(person)"
    case .withdrawal: "telling \(person) of the removal"
    case .joined: "telling \(person) that you took the list"
    case .decline: "telling \(person) that you declined"
    case .acceptance: "telling \(person) that you take the list over"
    case .claim: "telling \(person) that you have the code"
    case .refusal: "telling \(person) that the code is worth nothing"
    case .post: "saying something to \(person)"
    case .signal: "sending a signal to \(person)"
    case nil: "sending a message to \(person)"
    }
  }
}
