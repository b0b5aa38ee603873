"""permissions: what a successor signed (§3.5), its shape and its signature."""

from ..identity import Device
from ..people import signed_up
from ..permissions import setting
from ..primitives import flip
from ..schema import encode, records
from ..transfers import EXPIRES, GIVEN
from .permissions import built, grow, permit
from .transfers import give, word

PHONE, TABLET = Device("phone"), Device("tablet")


def cases():
    yield from shape()
    yield from positions()
    yield from devices()
    yield from signatures()


def altered(change, **options):
    """What bob signed, changed after he signed it."""

    def signed(world):
        made = word(**options)(world)
        change(made)
        return made

    return signed


def shape():
    def bad(name, comment, signed, expect="malformed"):
        return built(name, expect, comment, give(word=signed))

    yield bad(
        "transfer-suite-unknown",
        "Suite 2 in what bob signed.",
        word(edit=lambda _: setting("suite", 2)),
        "suite-unknown",
    )
    yield bad(
        "transfer-not-parsed",
        "What bob signed is not a message.",
        word(body=lambda transfer: encode(transfer)[:-1]),
    )
    yield bad("transfer-empty", "A transfer without body and signature.", lambda world: records.SignedRecord())
    for field, size in (("branch", 15), ("owner", 19), ("successor", 19), ("device", 15)):
        yield bad(
            f"transfer-{field}-too-short",
            f"A field of {size} bytes.",
            word(edit=lambda _, field=field: setting(field, lambda value: value[:-1])),
        )
    yield bad(
        "transfer-by-root",
        "Bob's root signs: it is a device that has to.",
        word(edit=lambda _: setting("device", b""), key=signed_up("bob").root_key),
    )
    yield bad(
        "transfer-signature-too-short",
        "A signature of 63 bytes.",
        altered(lambda signed: setattr(signed, "signature", signed.signature[:-1])),
    )


def positions():
    stale = "keyring-stale"
    yield built("transfer-keyring-ahead", stale, "Bob's keyring has no position 9.", give(word=word(position=9)))
    yield built(
        "transfer-keyring-below-pin",
        stale,
        "Bob is pinned at 5 and signed as of 4.",
        grow("bob", revoked=False),
        permit(),
        give(word=word(position=4)),
    )


def devices():
    unknown = "device-unknown"
    yield built(
        "transfer-device-unknown",
        unknown,
        "A device that is not in bob's keyring.",
        give(word=word("bob", TABLET)),
    )
    yield built(
        "transfer-device-of-another",
        unknown,
        "Carol's device signs, and says so.",
        give(word=word("bob", signed_up("carol").device)),
    )
    yield built(
        "transfer-device-revoked",
        unknown,
        "A device that ended before the named position.",
        grow("bob"),
        give(word=word("bob", PHONE)),
    )
    yield built(
        "transfer-device-not-yet",
        unknown,
        "A device that came after the named position.",
        grow("bob", revoked=False),
        give(word=word("bob", PHONE, position=4)),
    )


def signatures():
    def bad(name, comment, signed, *before):
        return built(name, "signature-bad", comment, *before, give(word=signed))

    yield bad(
        "transfer-signature-of-another", "Carol's device signs in bob's name.", word(key=signed_up("carol").device.key)
    )
    yield bad(
        "transfer-signature-of-owner", "Alice's device signs in bob's name.", word(key=signed_up("alice").device.key)
    )
    yield bad(
        "transfer-signature-of-other-device",
        "Bob's phone signs in his laptop's name.",
        word(key=PHONE.key),
        grow("bob", revoked=False),
    )
    yield bad("transfer-for-other-domain", "Signed as a permissions record.", word(domain="permissions"))
    yield bad(
        "transfer-signature-flipped",
        "One bit of the signature changed.",
        altered(lambda signed: setattr(signed, "signature", flip(signed.signature))),
    )
    yield bad(
        "transfer-prolonged",
        "What bob signed has expired; somebody wrote a later time into it.",
        altered(prolong, edit=lambda _: setting("expires", GIVEN - 1)),
    )


def prolong(signed):
    transfer = records.OwnershipTransfer.FromString(signed.body)
    transfer.expires = EXPIRES
    signed.body = encode(transfer)
