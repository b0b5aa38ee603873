import CloudAPI
public import Signing
public import Treesystem

extension CloudTransaction {
  /// Most people whom the server refuses for one user, so that the inbox's permissions stay short; more are blocked on this user's devices only.
  private static let refusedPeople = 500

  /// Has the server refuse what somebody sends to this user, or take it again. It sees who that is, and so does whoever is refused
  /// (spec §3.6); `setBlocked` alone is between this user's devices.
  public func setRefused(_ user: UserID, _ isRefused: Bool = true) throws {
    let inbox = try trunk(.inbox).branch
    guard let cloudID = try cloudID(of: inbox),
      let body = try permissions(of: inbox)?.body, let anyones = body.entry(of: nil)?.letters, user != body.owner
    else { return }
    let waiting = try permitOperations(of: inbox).last { $0.user == user && $0.letters != nil }
    guard (waiting?.letters.map { $0.isEmpty } ?? body.refuses(user)) != isRefused else { return }
    guard !isRefused || body.entries.count < Self.refusedPeople else { return }
    _ = try setIntent(isRefused ? [] : anyones, of: user, branch: inbox, cloudID)
  }
}
