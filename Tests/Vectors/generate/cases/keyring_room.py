"""keyring: what may stand where in a long one, and an account that was deleted (§2.2, 9 and 10)."""

from ..identity import Device
from ..people import signed_up
from .keyrings import PHONE, TABLET, built, case, laptop


def cases():
    yield from deletions()
    yield from rooms()


def delete(by=None):
    return lambda person: person.delete_account(by(person) if by else None)


def deletions():
    yield built("good-account-deleted", "ok", "A device deletes the account: all devices end.", delete(laptop))
    yield built("good-account-deleted-by-root", "ok", "The root deletes it.", delete())
    bad = "account-deleted"
    yield built("root-after-deletion", bad, "Nothing follows, not even by the root.", delete(laptop), lambda p: p.set_handle("b"))
    yield built(
        "device-after-deletion",
        bad,
        "A device that ended with the account signs.",
        delete(laptop),
        lambda p: p.set_handle("b", laptop(p)),
    )
    yield built("deleted-twice", bad, "It is deleted once.", delete(), delete())


def grown(steps, position):
    """alice with a phone, whose laptop has filled the keyring up to here. `steps` come before."""
    person = signed_up("alice")
    person.add_device(PHONE, laptop(person))
    for step in steps:
        step(person)
    while person.position < min(position, 900):
        person.set_handle("alice", laptop(person))
    while person.position < position:
        person.set_handle("alice")
    return person


FULL, ENDED, LAST = "good-nine-hundred-entries", "good-nine-hundred-and-sixty-entries", "good-thousand-entries"
PLACES = {FULL: 900, ENDED: 960, LAST: 1000}


def following(after, name, expect, comment, *steps):
    """What stands above a long keyring, which is not written again."""
    person = grown((), PLACES[after])
    for step in steps:
        step(person)
    kind, name, expect, comment, fields = case(name, expect, comment, person)
    del fields["entries"][: PLACES[after]]
    return kind, name, expect, comment, {"after": after, **fields}


def rooms():
    root = lambda person: person.set_handle("alice")
    by_laptop = lambda person: person.set_handle("alice", laptop(person))
    ended = lambda person: person.revoke(PHONE, 6, laptop(person))
    rotated = lambda person: person.rotate(laptop(person))
    full = "limit-exceeded"
    yield case(FULL, "ok", "As many as devices may sign.", grown((), 900))
    yield following(FULL, ENDED, "ok", "The root finds room above them.", *[root] * 60)
    yield following(ENDED, LAST, "ok", "The last place is the root's.", *[root] * 40)
    yield following(LAST, "entry-above-thousand", full, "There is no place 1001.", root)
    yield following(FULL, "device-above-nine-hundred", full, "A device sets a handle.", by_laptop)
    yield following(
        FULL, "device-adds-above-nine-hundred", full, "A device adds another.", lambda p: p.add_device(TABLET, laptop(p))
    )
    yield following(FULL, "device-deletes-above-nine-hundred", full, "A device deletes the account.", delete(laptop))
    yield following(FULL, "device-rotates-above-nine-hundred", full, "A new user key, though no device has ended.", rotated)
    yield following(FULL, "good-device-ends-above-nine-hundred", "ok", "One device ends the other.", ended, rotated)
    yield following(FULL, "device-rotates-twice-above-nine-hundred", full, "One key for one ending.", ended, rotated, rotated)
    yield following(FULL, "device-sets-handle-after-ending", full, "It has ended one, and does more.", ended, by_laptop)
    yield following(
        FULL,
        "good-root-ends-and-device-rotates",
        "ok",
        "Whoever ended the phone, the laptop draws the key.",
        lambda person: person.revoke(PHONE, 6),
        rotated,
    )
    yield following(ENDED, "device-ends-above-nine-hundred-and-sixty", full, "The last forty are the root's.", ended)
    yield following(
        ENDED,
        "good-root-ends-above-nine-hundred-and-sixty",
        "ok",
        "The root ends all devices and adds one.",
        lambda person: person.revoke(laptop(person), 1),
        lambda person: person.add_device(Device("rescue")),
        lambda person: person.rotate(),
    )
