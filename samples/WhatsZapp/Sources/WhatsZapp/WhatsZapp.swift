/// Alice writes to Bob, who has a phone and a laptop.
@main struct WhatsZapp {
  static func main() async throws {
    let server = try LocalServer()
    let alice = try Messenger("alice", server)
    let phone = try Messenger("bob-phone", server)
    let laptop = try Messenger("bob-laptop", server)
    try await alice.signUp(as: "alice")
    try await phone.signUp(as: "bob")
    try await laptop.logIn(as: "bob", like: phone)

    print("# Alice sends a message, and another one with a picture.")
    let cat = Picture(small: [UInt8](repeating: 1, count: 2000), bytes: [UInt8](repeating: 2, count: 300_000))
    try await alice.say("Look who moved in.", to: "bob")
    try await alice.say("She has no name yet.", with: cat, to: "bob")
    try await alice.sync()
    try show("alice", alice)

    print("# Bob has never heard of her. He lets her in on his phone.")
    try await phone.sync()
    try show("bob's phone", phone)
    try phone.accept("alice")
    try await phone.sync()
    try show("bob's phone", phone)

    print("# The laptop learns that he did. It has the messages, and nothing of the picture.")
    try await laptop.sync()
    try show("bob's laptop", laptop)

    print("# He reads them on the phone, and looks at the picture: first the small copy, then all of it.")
    try phone.open("alice")
    try await phone.sync()
    print("small copy: \(try await phone.picture(from: "alice", .thumbnail).count) bytes")
    print(
      "the picture: \(try await phone.picture(from: "alice", .data) == cat.bytes ? "as alice sent it" : "another one")")
    try show("bob's phone", phone)

    print("# So they are read on the laptop too.")
    try await laptop.sync()
    try show("bob's laptop", laptop)

    print("# He answers from there without a server; it goes with the next sync, to Alice and to his phone.")
    try await laptop.say("Call her Zapp.", to: "alice")
    try show("bob's laptop", laptop)
    for device in [laptop, alice, phone] { try await device.sync() }
    try show("alice", alice)
    try show("bob's phone", phone)
  }

  private static func show(_ name: String, _ device: Messenger) throws {
    print("\(name):")
    for line in try device.screen() { print("  \(line)") }
    print()
  }
}
