public import CloudAPI
public import Signing

/// Somebody who may do on a branch again what they could not do any more: the server shows a past before that (spec §4.4).
public struct Comeback: Sendable {
  /// Where.
  public let branch: CloudID
  /// Who.
  public let user: UserID
  /// What they may do by what the server has.
  public let letters: Letters
  /// What they could do in the end of the past that was read here; nothing: they had been removed, from an inbox blocked.
  public let before: Letters
  /// Who signed that; of one whom the past never named, who gave them these letters.
  public let by: UserID
  /// True where the past never named them, and who gave them their letters might not do that in its end.
  public let isNew: Bool
  /// True where somebody else owned the branch in the past's end: nobody but them can give it away again.
  public let isOwner: Bool
  /// Whether it is queued that they lose it again; else somebody has to do it who may share the branch.
  public let isQueued: Bool
  /// Whether the user was told.
  public let isTold: Bool

  package init(
    branch: CloudID, user: UserID, letters: Letters, before: Letters, by: UserID, isNew: Bool = false,
    isOwner: Bool = false, isQueued: Bool = false, isTold: Bool = false
  ) {
    self.branch = branch
    self.user = user
    self.letters = letters
    self.before = before
    self.by = by
    self.isNew = isNew
    self.isOwner = isOwner
    self.isQueued = isQueued
    self.isTold = isTold
  }
}

/// What somebody could do in the end, and who signed that.
struct PastLetters {
  let letters: Letters
  let by: UserID
  let isOwner: Bool

  /// Of everybody whom these records name, the first first.
  static func all(in history: [PermissionsBody]) -> [UserID: PastLetters] {
    var all: [UserID: PastLetters] = [:]
    for record in history {
      let named = Set(record.entries.compactMap(\.user)).union(all.keys)
      for user in named {
        let letters = record.letters(of: user)
        let isOwner = record.owner == user
        guard all[user]?.letters != letters || all[user]?.isOwner != isOwner else { continue }
        all[user] = PastLetters(letters: letters, by: record.author.user, isOwner: isOwner)
      }
    }
    return all
  }
}
