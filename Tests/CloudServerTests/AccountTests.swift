import CloudAPI
import CloudServer
import Foundation
import Signing
import SwiftProtobuf
import Testing

struct AccountTests {
  @Test func aSignUpMakesFourTrunksAndCanBeRepeated() throws {
    let world = try World()
    let alice = try world.member("alice")
    #expect(world.send(.accounts, alice.signUp()).status == 201)
    for trunk in Trunk.allCases {
      let page = try world.pull(trunk.cloudID(of: alice.user), as: alice)
      #expect(page.headLine == 1)
      #expect(page.rows.count == 1)
    }
  }

  @Test func aHandleIsTakenOnce() throws {
    let world = try World()
    _ = try world.member("alice")
    let response = world.send(.accounts, Person("alice").signUp())
    #expect(response.status == 409)
    #expect(reason(response) == "handle-taken")
  }

  @Test func anotherSignUpOfTheSameRootIsRefused() throws {
    let world = try World()
    var alice = try world.member("alice")
    alice.entries[3] = Person("alice").entries[3]
    #expect(world.send(.accounts, alice.signUp()).status == 400)
  }

  @Test func aTrunkRecordOtherThanTheKeyringNamesIsRefused() throws {
    let world = try World()
    var alice = Person("alice")
    alice.trunkRecords.swapAt(0, 1)
    let response = world.send(.accounts, alice.signUp())
    #expect(reason(response) == "first-record-wrong")
    #expect(world.send(.accounts, Person("alice").signUp()).status == 201, "nothing of it was kept")
  }

  @Test func policiesAdmit() throws {
    let alice = Person("alice")
    #expect(reason(try World(.closed).send(.accounts, alice.signUp())) == "sign-up-closed")
    let world = try World(.token(SecretBytes(Array("swordfish".utf8))))
    #expect(reason(world.send(.accounts, alice.signUp(token: "swordfis"))) == "token-wrong")
    #expect(world.send(.accounts, alice.signUp(token: "swordfish")).status == 201)
  }

  @Test func aHandleIsLookedUpByAnyDeviceOrRoot() throws {
    let world = try World()
    let (alice, bob) = (try world.member("alice"), try world.member("bob"))
    let found = try WireKeyring(serializedBytes: world.send(.handle("bob"), as: alice).body)
    #expect(found.user == data(bob.user.bytes))
    #expect(found.entries == bob.entries.map(\.wire))
    #expect(reason(world.send(.handle("carol"), as: alice)) == "not-found")
    let byRoot = world.request(
      .handle("bob"), [], as: Caller(user: alice.user, device: nil), alice.root.signing)
    #expect(world.cloud.handle(byRoot).status == 200)
    let pullByRoot = world.request(.pull, [], as: Caller(user: alice.user, device: nil), alice.root.signing)
    #expect(reason(world.cloud.handle(pullByRoot)) == "device-unknown")
  }

  @Test func aKeyringGrowsAndAnOldHandleStaysTaken() throws {
    let world = try World()
    var alice = try world.member("alice")
    let phone = SigningKey(entropy)
    let phoneBox = PublicKey.random(entropy)
    alice.add(.addDevice(Person.newDevice(phone.publicKey, phoneBox)))
    alice.add(.setHandle("alicia", rootKey: nil, rootBoxKey: nil), by: (alice.deviceID, alice.device))
    let append = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = alice.entries.dropFirst(4).map(\.wire)
    }
    let phoneID = DeviceID(signKey: phone.publicKey, boxKey: phoneBox)
    let request = {
      world.request(.keyringAppend, encode(append), as: Caller(user: alice.user, device: phoneID), phone)
    }
    #expect(world.cloud.handle(request()).status == 200, "the device that the entries add may send them")
    #expect(world.cloud.handle(request()).status == 200, "the same again changes nothing")
    #expect(reason(world.send(.accounts, Person("alice").signUp())) == "handle-taken")
    let found = try WireKeyring(serializedBytes: world.send(.handle("alicia"), as: alice).body)
    #expect(found.entries.count == 6)
    let after = WireKeyringsRequest.with {
      $0.users = [
        .with {
          $0.user = data(alice.user.bytes)
          $0.after = 5
        }
      ]
    }
    let some = try WireKeyrings(serializedBytes: world.send(.keyrings, after, as: alice).body)
    #expect(some.keyrings.first?.entries.count == 1)
  }

  @Test func aKeyringThatDoesNotContinueIsRefused() throws {
    let world = try World()
    var alice = try world.member("alice")
    var other = alice
    alice.add(.setHandle("one", rootKey: nil, rootBoxKey: nil))
    other.add(.setHandle("two", rootKey: nil, rootBoxKey: nil))
    for (person, expected) in [(alice, 200), (other, 409)] {
      let append = WireKeyringAppend.with {
        $0.user = data(person.user.bytes)
        $0.entries = person.entries.dropFirst(4).map(\.wire)
      }
      #expect(world.send(.keyringAppend, append, as: person).status == expected)
    }
  }

  @Test func aRevokedDeviceIsUnknown() throws {
    let world = try World()
    var alice = try world.member("alice")
    alice.add(.revokeDevice(alice.deviceID, since: 2), by: (alice.deviceID, alice.device))
    let append = WireKeyringAppend.with {
      $0.user = data(alice.user.bytes)
      $0.entries = alice.entries.dropFirst(4).map(\.wire)
    }
    #expect(world.send(.keyringAppend, append, as: alice).status == 200)
    #expect(reason(world.send(.handle("alice"), as: alice)) == "device-unknown")
    #expect(world.send(.keyringAppend, append, as: alice).status == 200, "the reply may have been lost")
  }
}
