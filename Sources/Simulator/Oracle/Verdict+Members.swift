import CloudAPI
import Sharing
import Signing
import TodoCore
import Treesystem

/// Who shares what: the same for everybody, one owner, and no key in the hands of those who were taken off.
extension Verdict {
  /// All devices agree on the members of a list that they read, and with the server; exactly one of them is the owner.
  func judgeMembers() {
    for seat in seats {
      seen(seat) { transaction in
        for list in try transaction.allLists() where try isCurrent(list, transaction) {
          try judgeMembers(of: list, seat, transaction)
        }
      }
    }
  }

  private func judgeMembers(of list: TodoList, _ seat: Seat, _ transaction: CloudTransaction) throws {
    guard let branch = try transaction.cloudID(of: list.branch),
      let record = try transaction.permissions(of: list.branch),
      let present = try world.server.permissionsHistory(of: branch).last
    else { return world.fail("\(seat.name) reads \(list.name), and nobody knows who shares it") }
    guard record.hash == present.hash else {
      return world.fail(
        "\(seat.name) and the server name different members of \(list.name): version \(record.body.version) and \(present.body.version)"
      )
    }
    let members = try transaction.members(of: list.node)
    let expected = Set(
      present.body.entries.map {
        "\($0.user.map { "\($0)" } ?? "") \(Role($0.letters, isOwner: $0.user == present.body.owner))"
      })
    if Set(members.map { "\($0.user) \($0.role)" }) != expected || members.contains(where: \.pending) {
      world.fail("\(seat.name) shows other members of \(list.name) than its record names")
    }
    if members.filter({ $0.role == .owner }).map(\.user) != [present.body.owner] {
      world.fail("\(seat.name) does not show one owner of \(list.name)")
    }
  }

  /// Whoever was taken off a list, and a device that was ended, opens nothing that was written by somebody who had seen that; nor
  /// what will be written, once somebody who may write there has synced.
  func judgeKeys() {
    let branches = writableLists()
    let all = holders()
    for (branch, isWritable) in branches.sorted(by: { $0.key < $1.key }) {
      do {
        let records = try world.server.permissionsHistory(of: branch)
        guard let present = records.last?.body else { continue }
        // A member's device opens everything, the older epochs too.
        for holder in all where holder.ended != nil || present.entry(of: holder.keyring.user)?.mayRead != true {
          try judge(holder, branch, records, isWritable: isWritable && !present.isClosed)
        }
      } catch {
        world.fail("nobody can tell who reads a list: \(error)")
      }
    }
  }

  private func judge(
    _ holder: Holder, _ branch: CloudID, _ records: [UnverifiedPermissions], isWritable: Bool
  ) throws {
    guard let process = holder.seat.process else { return }
    let bodies = records.map(\.body)
    let reach = try process.database.read { try $0.reach(bodies, of: holder.keyring) }
    if isWritable, let present = bodies.last, reach.contains(present.epoch) {
      world.fail("\(holder.seat.name) will read what is written on a list that it is off: epoch \(present.epoch)")
    }
    for header in try world.server.headers(of: branch) where reach.contains(header.epoch) {
      guard let index = records.firstIndex(where: { $0.hash == header.permissions }) else { continue }
      // Whoever is let in again reads what was written meanwhile.
      let isMember = bodies[index...].contains { $0.entry(of: holder.keyring.user)?.mayRead == true }
      if !isMember || holder.hasEnded(before: bodies[index], header.author) {
        world.fail("\(holder.seat.name) reads what was written after it was off the list: epoch \(header.epoch)")
      }
    }
  }

  /// The lists that somebody's device reads to their end, and whether one of these may write there.
  private func writableLists() -> [CloudID: Bool] {
    var found: [CloudID: Bool] = [:]
    for seat in seats {
      seen(seat) { transaction in
        for list in try transaction.allLists() where try isCurrent(list, transaction) {
          guard let branch = try transaction.cloudID(of: list.branch) else { continue }
          found[branch] = try found[branch] ?? false || transaction.mayWrite(list.node)
        }
      }
    }
    return found
  }

  /// A device with all that it has.
  private struct Holder {
    let seat: Seat
    let keyring: Keyring
    /// The keyring's entry that ended it.
    let ended: UInt32?

    /// Whether the author of a header had seen that it ended, or whoever signed the permissions that it names.
    func hasEnded(before permissions: PermissionsBody, _ author: Author) -> Bool {
      guard let ended else { return false }
      let pinned = permissions.entry(of: keyring.user)?.keyringPosition ?? 0
      return pinned >= ended || author.user == keyring.user && author.keyringPosition >= ended
    }
  }

  private func holders() -> [Holder] {
    (seats + ended).compactMap { seat in
      guard let user = try? world.server.user(handle: seat.device.person.handle),
        let keyring = world.server.keyring(of: user), let id = world.id(of: seat.device)
      else { return nil }
      return Holder(seat: seat, keyring: keyring, ended: keyring.devices[id]?.ended)
    }
  }
}

extension PermissionsEntry {
  fileprivate var mayRead: Bool { letters.contains(.read) }
}
