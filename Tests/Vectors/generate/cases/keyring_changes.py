"""keyring: device, rotation, trunk and handle entries that are refused (§2.2, 5 to 9)."""

from ..identity import Person
from ..people import signed_up
from ..permissions import setting
from ..primitives import Stream, flip
from ..schema import encode, records
from .keyrings import PHONE, TABLET, add, built, case, handle, laptop, revoke, rotate


def cases():
    yield from devices()
    yield from rotations()
    yield from trunks_and_handles()


def devices():
    yield built(
        "device-id-wrong",
        "malformed",
        "The id is not that of the keys.",
        add(PHONE, laptop, edit=setting("add_device.device", flip)),
    )
    yield built(
        "device-key-too-short",
        "malformed",
        "A signing key of 31 bytes.",
        add(PHONE, laptop, edit=setting("add_device.sign_key", lambda key: key[:-1])),
    )
    yield built("device-exists", "device-exists", "The phone is added twice.", add(PHONE, laptop), add(PHONE, laptop))
    yield built(
        "device-exists-revoked",
        "device-exists",
        "A revoked device does not come back.",
        add(PHONE, laptop),
        revoke(PHONE, 5, laptop),
        add(PHONE, laptop),
    )
    yield built(
        "device-generation-future",
        "malformed",
        "A generation that is not there yet.",
        add(PHONE, laptop, edit=setting("add_device.generation", 2)),
    )
    yield built(
        "device-generation-past",
        "malformed",
        "A generation that is no longer current.",
        rotate(laptop),
        add(PHONE, laptop, edit=setting("add_device.generation", 1)),
    )
    yield built(
        "device-key-without-generation",
        "malformed",
        "A sealed key although the generation is 0.",
        add(PHONE, laptop, edit=setting("add_device.generation", 0)),
    )
    yield built(
        "device-generation-without-key",
        "malformed",
        "No sealed key although there is a generation.",
        add(PHONE, laptop, edit=setting("add_device.sealed_user_key", b"")),
    )
    yield built(
        "device-sealed-key-too-short",
        "malformed",
        "A sealed key of 79 bytes.",
        add(PHONE, laptop, edit=setting("add_device.sealed_user_key", lambda key: key[:-1])),
    )
    yield built("revoke-unknown", "device-unknown", "A device that nobody added is revoked.", revoke(PHONE, 2, laptop))
    yield built(
        "revoke-twice",
        "device-unknown",
        "A device that has ended is revoked.",
        add(PHONE, laptop),
        revoke(PHONE, 5, laptop),
        revoke(PHONE, 5, laptop),
    )
    yield built("revoke-since-zero", "malformed", "`since` 0.", add(PHONE, laptop), revoke(PHONE, 0, laptop))
    yield built(
        "revoke-since-itself",
        "malformed",
        "`since` is the entry's own position.",
        add(PHONE, laptop),
        revoke(PHONE, 6, laptop),
    )


def rotations():
    def bad(name, expect, comment, edit):
        return built(name, expect, comment, add(PHONE, laptop), rotate(laptop, edit=edit))

    def sealed(change):
        def edit(entry):
            boxes = [records.SealedUserKey.FromString(encode(box)) for box in entry.rotate_user_key.sealed]
            del entry.rotate_user_key.sealed[:]
            entry.rotate_user_key.sealed.extend(change(boxes))

        return edit

    yield bad(
        "generation-skipped", "generation-wrong", "Generation 3 follows 1.", setting("rotate_user_key.generation", 3)
    )
    yield bad(
        "generation-repeated",
        "generation-wrong",
        "Generation 1 again, without an older key.",
        lambda entry: (setting("rotate_user_key.generation", 1)(entry), entry.rotate_user_key.ClearField("older")),
    )
    yield bad(
        "older-missing",
        "generation-wrong",
        "Generation 2 without the older key.",
        setting("rotate_user_key.older", b""),
    )
    person, template = Person("alice"), signed_up("alice")
    person.set_handle("alice")
    person.add_device(laptop(template), with_key=False)
    person.rotate(edit=setting("rotate_user_key.older", Stream("older").take(72)))
    yield case("older-in-first-generation", "generation-wrong", "Generation 1 with an older key.", person)
    yield bad(
        "sealed-device-missing", "malformed", "The phone gets no key.", sealed(lambda boxes: [boxes[0], boxes[2]])
    )
    yield bad("sealed-root-missing", "malformed", "The root gets no key.", sealed(lambda boxes: boxes[:2]))
    yield bad(
        "sealed-device-twice",
        "malformed",
        "The phone gets two keys.",
        sealed(lambda boxes: [boxes[0], boxes[1], boxes[1], boxes[2]]),
    )
    yield bad(
        "sealed-stranger",
        "malformed",
        "A device that is not in the keyring gets a key.",
        sealed(lambda boxes: [*boxes, records.SealedUserKey(device=TABLET.id, sealed=boxes[0].sealed)]),
    )
    yield bad(
        "sealed-too-short",
        "malformed",
        "A sealed box of 79 bytes.",
        sealed(lambda boxes: [*boxes[:2], records.SealedUserKey(sealed=boxes[2].sealed[:-1])]),
    )
    yield built(
        "sealed-revoked-device",
        "malformed",
        "The revoked phone gets the new key.",
        add(PHONE, laptop),
        revoke(PHONE, 5, laptop),
        rotate(
            laptop,
            edit=sealed(
                lambda boxes: [boxes[0], records.SealedUserKey(device=PHONE.id, sealed=boxes[0].sealed), boxes[1]]
            ),
        ),
    )


def trunks_and_handles():
    yield built("trunks-twice", "malformed", "The trunks are named again.", lambda person: person.set_trunks())
    person = signed_up("alice")
    del person.entries[3:], person.generations[4:]
    person.set_trunks(person.device)
    yield case("trunks-signed-by-device", "malformed", "The root has to sign the trunks.", person)
    person = signed_up("alice")
    del person.entries[3:], person.generations[4:]
    person.set_trunks(edit=setting("set_trunks.inbox", lambda h: h[:-1]))
    yield case("trunks-hash-too-short", "malformed", "A hash of 31 bytes.", person)
    for name, text, comment in (
        ("capital", "Alice", "A capital letter."),
        ("empty", "", "No character."),
        ("too-long", "a" * 33, "33 characters."),
        ("hyphen-first", "-alice", "A hyphen at the start."),
        ("umlaut", "jürgen", "A letter beyond ASCII."),
        ("new-line", "alice\n", "A new line at the end."),
    ):
        yield built(f"handle-{name}", "malformed", comment, handle(text))
