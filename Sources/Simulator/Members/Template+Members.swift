import Sharing

extension Template {
  /// Worlds in which somebody is a member of some lists and not of others, as an editor, as a viewer, as the owner.
  static func withHostileMember() throws -> [Template] {
    let blank = try blankProfile()
    let her = HostileMember.handle
    return try [
      make(seed: 11) { stage in
        for handle in ["alice", her] { try await stage.signUp(handle) }
        for title in ["Shared", "Secret", "Todo"] { try await stage.list("alice", title) }
        try await stage.list(her, "Own")
        try await stage.share("alice", her, .editor, "Shared")
        try await stage.logIn("alice", as: "alice2")
      },
      make(seed: 12) { stage in
        for handle in ["alice", "bob", her] { try await stage.signUp(handle) }
        for title in ["Shared", "Team"] { try await stage.list("alice", title) }
        try await stage.list("bob", "Secret")
        for guest in ["bob", her] { try await stage.share("alice", guest, .editor, "Shared") }
        try await stage.share("alice", "bob", .editor, "Team")
        try await stage.logIn("bob", as: "bob2")
      },
      make(seed: 13) { stage in
        for handle in ["alice", "bob", her] { try await stage.signUp(handle) }
        for title in ["Board", "Shared"] { try await stage.list("alice", title) }
        for guest in ["bob", her] { try await stage.share("alice", guest, .editor, "Shared") }
        try await stage.share("alice", "bob", .editor, "Board")
        try await stage.share("alice", her, .viewer, "Board")
      },
      make(seed: 14) { stage in
        for handle in ["alice", "bob", her] { try await stage.signUp(handle) }
        for title in ["Trap", "Todo"] { try await stage.list(her, title) }
        for title in ["Secret", "Groceries"] { try await stage.list("alice", title) }
        for guest in ["alice", "bob"] { try await stage.share(her, guest, .editor, "Trap") }
        try await stage.share("alice", "bob", .editor, "Groceries")
        try await stage.logIn("alice", as: "alice2")
      },
    ].map { template in
      var template = template
      template.blank = blank
      return template
    }
  }
}
