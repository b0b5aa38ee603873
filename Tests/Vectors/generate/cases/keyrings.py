"""keyring: §2.2."""

from ..check.keyrings import fold
from ..identity import Device, Person
from ..people import signed_up
from ..permissions import setting
from ..primitives import Stream, flip, record_hex, sign
from ..schema import encode, records

PHONE, TABLET, DESKTOP = (Device(name) for name in ("phone", "tablet", "desktop"))


def case(name, expect, comment, person, user=None):
    user = user or person.user
    fields = {"user": user.hex(), "entries": [record_hex(entry) for entry in person.entries]}
    if expect == "ok":
        keyring, _ = fold(user, person.entries)
        assert [d.id for d in person.active] == keyring.active_devices()
        fields["state"] = {
            "handle": keyring.handle,
            "active_devices": [device.hex() for device in keyring.active_devices()],
            "generation": keyring.generations[-1],
            "trunks": [trunk.hex() for trunk in keyring.trunks],
        }
    return "keyring", name, expect, comment, fields


def built(name, expect, comment, *steps):
    """alice as signed up, then the steps."""
    person = signed_up("alice")
    for step in steps:
        step(person)
    return case(name, expect, comment, person)


def laptop(person):
    return person.added[0][1]


def add(device, by=None, **options):
    return lambda person: person.add_device(device, by(person) if callable(by) else by, **options)


def revoke(device, since, by=None, **options):
    return lambda person: person.revoke(
        device(person) if callable(device) else device, since, by(person) if callable(by) else by, **options
    )


def rotate(by=None, **options):
    return lambda person: person.rotate(by(person) if callable(by) else by, **options)


def handle(text, **options):
    return lambda person: person.set_handle(text, **options)


def cases():
    yield from good()
    yield from chain()
    yield from first_entry()
    yield from signers()


def good():
    yield built("good-sign-up", "ok", "The four entries of sign-up.")
    yield built("good-second-device", "ok", "The laptop adds a phone.", add(PHONE, laptop))
    yield built("good-root-adds-device", "ok", "The root may always append (24 words on a new device).", add(PHONE))
    yield built(
        "good-device-without-key", "ok", "A device may be added without a user key.", add(PHONE, laptop, with_key=False)
    )
    yield built(
        "good-revoke-device",
        "ok",
        "The phone ends, the user key rotates.",
        add(PHONE, laptop),
        revoke(PHONE, 5, laptop),
        rotate(laptop),
    )
    yield built("good-revoke-oneself", "ok", "A device may revoke itself.", add(PHONE, laptop), revoke(PHONE, 5, PHONE))
    yield built(
        "good-revoke-transitive",
        "ok",
        "The phone added the tablet, which added the desktop: all end with the phone.",
        add(PHONE, laptop),
        add(TABLET, PHONE),
        add(DESKTOP, TABLET),
        revoke(PHONE, 6, laptop),
        rotate(laptop),
    )
    yield built(
        "good-revoke-since-spares",
        "ok",
        "The tablet was added by the phone before `since`: it stays.",
        add(PHONE, laptop),
        add(TABLET, PHONE),
        add(DESKTOP, PHONE),
        revoke(PHONE, 7, laptop),
        rotate(TABLET),
    )
    yield built(
        "good-revoke-since-after-all",
        "ok",
        "Nothing was added at or after `since`: the phone alone ends.",
        add(PHONE, laptop),
        add(TABLET, PHONE),
        add(DESKTOP, TABLET),
        revoke(PHONE, 7, laptop),
        rotate(laptop),
    )
    yield built(
        "good-revoke-through-ended-device",
        "ok",
        "The tablet had ended before; what it added ends with the phone, which added the tablet.",
        add(PHONE, laptop),
        add(TABLET, PHONE),
        add(DESKTOP, TABLET),
        lambda person: person.set_handle("alice2", laptop(person)),
        revoke(TABLET, 8, laptop),
        revoke(PHONE, 5, laptop),
        rotate(laptop),
    )
    yield built(
        "good-rotate-twice",
        "ok",
        "Generations 2 and 3, each with the older key sealed under it.",
        add(PHONE, laptop),
        rotate(laptop),
        rotate(PHONE),
    )
    yield built(
        "good-recovered-by-root",
        "ok",
        "Only device lost: the root revokes it, adds a new one and rotates.",
        revoke(laptop, 1),
        add(PHONE),
        rotate(),
    )
    yield built("good-handle-changed", "ok", "A device may set another handle.", handle("alice_2-x", signer=None))
    yield built("good-handle-longest", "ok", "32 characters.", handle("a" * 32))
    yield built(
        "good-unknown-field",
        "ok",
        "A field of a later version stands in the body and is signed.",
        handle("alice2", body=lambda entry: encode(entry) + bytes.fromhex("fa0703010203")),
    )
    yield built(
        "good-fields-in-other-order",
        "ok",
        "Nobody re-encodes to verify: the body's fields stand in another order.",
        handle("alice2", body=other_order),
    )


def other_order(entry):
    change = records.KeyringEntry(set_handle=entry.set_handle)
    entry.ClearField("set_handle")
    return encode(change) + encode(entry)


def chain():
    def bad(name, expect, comment, **options):
        return built(name, expect, comment, handle("alice2", **options))

    yield bad("suite-unknown", "suite-unknown", "Suite 2.", edit=setting("suite", 2))
    yield bad(
        "body-not-parsed", "malformed", "The signed body is not a message.", body=lambda entry: encode(entry)[:-1]
    )
    yield bad(
        "change-missing",
        "malformed",
        "An entry that changes nothing.",
        edit=lambda entry: entry.ClearField("set_handle"),
    )
    yield bad("user-too-short", "malformed", "A user of 19 bytes.", edit=setting("user", lambda user: user[:-1]))
    yield bad("previous-too-short", "malformed", "A hash of 31 bytes.", edit=setting("previous", lambda h: h[:-1]))
    yield bad(
        "user-mismatch",
        "user-mismatch",
        "An entry of somebody else's keyring.",
        edit=setting("user", signed_up("bob").user),
    )
    yield bad("position-skipped", "chain-broken", "Position 6 follows 4.", edit=setting("position", 6))
    yield bad("position-repeated", "chain-broken", "Position 4 again.", edit=setting("position", 4))
    yield bad("previous-wrong", "chain-broken", "Another entry before.", edit=setting("previous", flip))
    person = signed_up("alice")
    person.add_device(PHONE, person.device)
    person.set_handle("alice2")
    del person.entries[4]
    yield case("entry-left-out", "chain-broken", "Entry 5 is withheld.", person)
    person = signed_up("alice")
    person.set_handle("alice2")
    person.set_handle("alice3")
    person.entries[4:] = person.entries[:3:-1]
    yield case("entries-swapped", "chain-broken", "Entries 5 and 6 changed places.", person)
    person = signed_up("alice")
    person.entries[3].CopyFrom(resigned(person, 3))
    person.set_handle("alice2")
    other = signed_up("alice")
    other.entries.append(person.entries[4])
    yield case("another-history", "chain-broken", "Entry 5 follows another entry 4.", other)
    person = signed_up("alice")
    del person.entries[3:]
    yield case("trunks-missing", "trunks-missing", "Three entries are no sign-up.", person)


def resigned(person, index):
    entry = records.KeyringEntry.FromString(person.entries[index].body)
    entry.created += 1
    return sign(person.root_key, "keyring-entry", encode(entry))


def started(steps, **options):
    """Someone whose first entry is special, and who then signs up as usual."""
    person, template = Person("alice"), signed_up("alice")
    person.trunks = template.trunks
    steps(person, **options)
    person.add_device(laptop(template), with_key=False)
    person.rotate()
    person.set_trunks()
    return person


def first_entry():
    def one(name, expect, comment, edit, **options):
        person = started(lambda person: person.set_handle("alice", edit=edit, **options))
        return case(name, expect, comment, person)

    mallory = Person("mallory")

    def swap(entry):
        entry.set_handle.root_key, entry.set_handle.root_box_key = mallory.root_public, mallory.root_box

    yield one(
        "root-key-of-another",
        "root-mismatch",
        "Another user's root key, under which all verifies.",
        swap,
        key=mallory.root_key,
    )
    yield one(
        "root-box-key-missing",
        "root-mismatch",
        "The first entry names one root key only.",
        setting("set_handle.root_box_key", b""),
    )
    yield one(
        "root-key-missing",
        "root-mismatch",
        "The first entry names no signing key.",
        setting("set_handle.root_key", b""),
    )
    person, template = Person("alice"), signed_up("alice")
    person.add_device(laptop(template), with_key=False)
    yield case("first-entry-adds-device", "root-mismatch", "The first entry is not a handle.", person)
    yield built(
        "root-key-again",
        "root-mismatch",
        "A later entry names root keys.",
        handle(
            "alice2",
            edit=lambda entry: entry.set_handle.MergeFrom(
                records.SetHandle(root_key=Person("alice").root_public, root_box_key=Person("alice").root_box)
            ),
        ),
    )
    yield built(
        "root-key-replaced", "root-mismatch", "A later entry names another root key.", handle("alice2", edit=swap)
    )
    yield one(
        "first-previous-not-zeros",
        "chain-broken",
        "The first entry has something before it.",
        setting("previous", Stream("x").take(32)),
    )


def signers():
    yield built("signer-unknown", "device-unknown", "A device that nobody added signs.", add(PHONE, TABLET))
    yield built("signer-is-added-here", "device-unknown", "A device adds itself.", add(PHONE, PHONE))
    yield built(
        "signer-revoked",
        "device-unknown",
        "A revoked device signs.",
        add(PHONE, laptop),
        revoke(PHONE, 5, laptop),
        add(TABLET, PHONE),
    )
    yield built(
        "signer-revoked-transitively",
        "device-unknown",
        "A device that ended with its adder signs.",
        add(PHONE, laptop),
        add(TABLET, PHONE),
        revoke(PHONE, 5, laptop),
        add(DESKTOP, TABLET),
    )
    yield built(
        "signature-of-another-device",
        "signature-bad",
        "The phone signs in the laptop's name.",
        add(PHONE, laptop),
        add(TABLET, laptop, key=PHONE.key),
    )
    yield built(
        "signature-of-device-for-root",
        "signature-bad",
        "The laptop signs in the root's name.",
        add(PHONE, key=signed_up("alice").device.key),
    )
    yield built(
        "signature-for-other-domain",
        "signature-bad",
        "Signed as a permissions record.",
        add(PHONE, laptop, domain="permissions"),
    )
    for name, expect, comment, change in (
        ("signature-flipped", "signature-bad", "One bit of the signature changed.", lambda s: flip(s, 5)),
        ("signature-zeros", "signature-bad", "A signature of zeros.", lambda s: bytes(64)),
        ("signature-too-short", "malformed", "63 bytes.", lambda s: s[:-1]),
    ):
        person = signed_up("alice")
        person.add_device(PHONE, person.device)
        person.entries[-1].signature = change(person.entries[-1].signature)
        yield case(name, expect, comment, person)
    person = signed_up("alice")
    person.add_device(PHONE, person.device)
    entry = records.KeyringEntry.FromString(person.entries[-1].body)
    entry.created += 1
    person.entries[-1].body = encode(entry)
    yield case("body-changed", "signature-bad", "A field changed after signing.", person)
    person = signed_up("alice")
    person.append("recover", records.Recover(root_key=PHONE.sign_key, root_box_key=PHONE.box_key))
    yield case("recover-reserved", "malformed", "Suite 1 refuses recover, even from the root.", person)
