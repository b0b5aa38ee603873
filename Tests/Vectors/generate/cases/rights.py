"""permissions: who may sign (§3.3)."""

from ..people import World, signed_up
from ..permissions import leave, without
from ..primitives import flip
from .permissions import ADMIN, ALL, PHONE, TABLET, built, case, grow, permit


def cases():
    yield built("writer-adds", "letter-missing", "Bob holds r and w only.", permit([*ALL, ("dora", "r")], "bob"))
    yield built("writer-removes", "letter-missing", "Bob removes carol.", permit(ALL[:2], "bob", new_epoch=True))
    yield built(
        "writer-promotes-oneself",
        "letter-missing",
        "Bob gives himself s.",
        permit([ALL[0], ("bob", "rws"), ALL[2]], "bob"),
    )
    yield built(
        "viewer-renews", "letter-missing", "Carol holds r only.", grow("bob", revoked=False), permit(by="carol")
    )
    yield built("stranger-renews", "letter-missing", "Dora has no entry.", permit(by="dora"))
    yield built(
        "removed-member-renews",
        "letter-missing",
        "Bob was removed one record before.",
        permit([ALL[0], ALL[2]], new_epoch=True),
        permit(by="bob"),
    )
    yield built(
        "admin-changes-owner",
        "letter-missing",
        "Bob holds s, but only the owner changes the owner's letters.",
        permit([("alice", "rwsB"), ("bob", "rws"), ("carol", "r")], "bob"),
        grants=ADMIN,
    )
    yield built(
        "leave-takes-another-along",
        "letter-missing",
        "Bob leaves and removes carol with himself.",
        lambda world: leave(world.branch, world.bob, new_epoch=True, also=lambda record: without(record, world.carol)),
    )
    yield built(
        "leave-raises-epoch",
        "letter-missing",
        "A leave keeps the epoch.",
        lambda world: leave(world.branch, world.carol, new_epoch=True),
    )
    unknown = "device-unknown"
    yield built("device-unknown", unknown, "A device that is not in alice's keyring.", permit(device=TABLET))
    yield built(
        "device-revoked", unknown, "A device that ended before the named position.", grow("alice"), permit(device=PHONE)
    )
    yield built(
        "device-not-yet",
        unknown,
        "A device that came after the named position.",
        grow("alice", revoked=False),
        permit(device=PHONE, position=4),
    )
    yield built("author-position-ahead", "keyring-stale", "Alice's keyring has no position 9.", permit(position=9))
    yield built(
        "signature-of-another",
        "signature-bad",
        "Bob's device signs in alice's name.",
        permit(key=signed_up("bob").device.key),
    )
    yield built("signature-for-other-domain", "signature-bad", "Signed as a node header.", permit(domain="node-header"))
    world = World(nodes=False)
    permit()(world)
    world.branch.records[2].signature = flip(world.branch.records[2].signature)
    yield case("signature-flipped", "signature-bad", "One bit of the signature changed.", world.branch, world.people)
