import CloudAPI
import CloudServer
import Signing

/// What the server has, told to those who judge it.
extension SimServer {
  func keyring(of user: UserID) -> Keyring? {
    (try? storage?.read { try $0.keyringEntries(of: user, after: 0) }).flatMap { entries in
      entries.isEmpty ? nil : try? Keyring(user: user, entries: entries)
    }
  }

  func hasEnded(_ device: DeviceID, of person: Human) -> Bool {
    (try? user(handle: person.handle)).flatMap { keyring(of: $0) }?.devices[device]?.ended != nil
  }

  func isInbox(_ branch: CloudID, of people: [Human]) -> Bool {
    people.contains { person in
      (try? user(handle: person.handle)).map { Trunk.inbox.cloudID(of: $0) } == branch
    }
  }

  /// Every permissions record of a branch, the first first.
  func permissionsHistory(of branch: CloudID) throws -> [UnverifiedPermissions] {
    try storage?.read { try $0.permissionsHistory(of: branch, upTo: .max) }?.map { try UnverifiedPermissions($0) } ?? []
  }

  /// The last header of each node of a branch that was not deleted.
  func headers(of branch: CloudID) throws -> [HeaderBody] {
    try storage?.read { try $0.nodes(of: branch) }.filter { $0.kind == .header }
      .map { try UnverifiedHeader($0.record).body } ?? []
  }
}
