import TodoCore
import Treesystem

/// A new device for each honest person, at the end of a world: it reads everything from the first line, and has to agree with the old ones.
struct Newcomers {
  let world: World

  static func isOne(_ seat: Seat) -> Bool { seat.device.name.hasSuffix("*") }

  func join() async -> [Seat] {
    var seats: [Seat] = []
    for person in world.people where person.handle != HostileMember.handle && person.root != nil {
      let device = world.addDevice("\(person.handle)*", of: person, files: world.blank)
      let seat = Seat(world, device, number: 0)
      if await seat.logIn() {
        seats.append(seat)
      } else {
        world.fail("\(seat.name) cannot sign in to a healthy account")
      }
    }
    return seats
  }
}
