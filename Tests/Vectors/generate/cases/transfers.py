"""permissions: records with a time, and branches that change hands (§3.5), as far as the record says."""

from ..identity import Device
from ..log import Branch, Grant
from ..people import World, signed_up
from ..permissions import leave, setting
from ..primitives import Stream, flip
from ..schema import encode
from ..transfers import EXPIRES, GIVEN, accepted, giving, hand_over
from .permissions import ADMIN, ALL, bad_first, built, case, grow, permit

PHONE = Device("phone")
BOTH = (("alice", "rws"), ("bob", "rws"), ("carol", "r"))
WRITER = (("alice", "rw"), ("bob", "rws"), ("carol", "r"))


def give(to="bob", grants=BOTH, *, by="alice", word=None, **options):
    """The list goes to somebody. `word`: what was signed for it, from the world; absent: what is right."""

    def step(world):
        listed = [Grant(getattr(world, name), *rest) for name, *rest in grants]
        signed = word(world) if word else None
        hand_over(world.branch, getattr(world, to), listed, getattr(world, by), word=signed, **options)

    return step


def word(of="bob", device=None, *, edit=None, **options):
    """What somebody signs to take the list over; `edit` gets the world first."""
    return lambda world: accepted(world.branch, getattr(world, of), device, edit=edit and edit(world), **options)


def cases():
    yield from times()
    yield from good()
    yield from afterwards()
    yield from good_words()
    yield from names()
    yield from authors()
    yield from elsewhere()
    yield from entries()
    yield from later()


def times():
    yield built(
        "good-created", "ok", "The author's clock stands in the record.", permit(edit=setting("created", GIVEN))
    )
    yield built(
        "good-created-goes-back",
        "ok",
        "No order follows from clocks.",
        permit(edit=setting("created", GIVEN)),
        permit(edit=setting("created", GIVEN - 1)),
    )


def good():
    yield built("good-transfer-to-member", "ok", "Bob, a writer, takes the list over; alice keeps rws.", give())
    yield built(
        "good-transfer-to-stranger",
        "ok",
        "Dora, who had no entry, takes the list over.",
        give("dora", [*ALL, ("dora", "rws")]),
    )
    yield built(
        "good-transfer-gives-letters-up",
        "ok",
        "Alice keeps rw only: it is still hers to change her letters.",
        give(grants=WRITER),
    )
    yield built(
        "good-transfer-and-gone",
        "ok",
        "Alice goes with the same record; the epoch rises.",
        give(grants=BOTH[1:], new_epoch=True),
    )
    yield built("good-transfer-last-moment", "ok", "`created` is `expires`, not after it.", give(created=EXPIRES))
    yield built("good-transfer-back", "ok", "Bob gives the list back.", give(), give("alice", by="bob"))
    yield built(
        "good-transfer-onward",
        "ok",
        "Bob gives the list to carol, who was a viewer.",
        give(),
        give("carol", [*BOTH[:2], ("carol", "rws")], by="bob"),
    )


def afterwards():
    yield built(
        "good-new-owner-takes-letters",
        "ok",
        "Bob, the owner now, takes s from alice.",
        give(),
        permit(WRITER, by="bob"),
    )
    yield built(
        "good-new-owner-changes-own-letters",
        "ok",
        "Bob, the owner now, changes his own letters.",
        give(),
        permit([BOTH[0], ("bob", "rwsB"), BOTH[2]], by="bob"),
    )
    yield built(
        "good-new-owner-removes-old",
        "ok",
        "Bob removes alice with a new epoch.",
        give(),
        permit(BOTH[1:], by="bob", new_epoch=True),
    )
    yield built(
        "good-former-owner-adds",
        "ok",
        "Alice still holds s, and adds dora.",
        give(),
        permit([*BOTH, ("dora", "r")], by="alice"),
    )
    yield built(
        "good-former-owner-leaves",
        "ok",
        "Alice, who is no owner any more, may leave.",
        give(),
        lambda world: leave(world.branch, world.alice),
    )


def good_words():
    yield built(
        "good-transfer-second-device",
        "ok",
        "Bob's phone, which came later than his pin, signs for him.",
        grow("bob", revoked=False),
        give(word=word("bob", PHONE)),
    )
    yield built(
        "good-transfer-older-position",
        "ok",
        "Bob's keyring has moved on since he signed; the pin in force is not above what he named.",
        grow("bob", revoked=False),
        give(word=word(position=4)),
    )
    yield built(
        "good-transfer-unknown-field",
        "ok",
        "A field of a later version is signed with the rest.",
        give(word=word(body=lambda transfer: encode(transfer) + bytes.fromhex("fa0703010203"))),
    )


def names():
    def bad(name, comment, **options):
        return built(name, "owner-changed", comment, give(**options))

    yield bad(
        "transfer-of-another-branch",
        "What bob signed names another branch.",
        word=word(edit=lambda world: setting("branch", flip)),
    )
    yield bad(
        "transfer-of-another-owner",
        "What bob signed names carol as the owner.",
        word=word(edit=lambda world: setting("owner", world.carol.user)),
    )
    yield bad(
        "transfer-to-another", "Carol signed that she takes the list over; the record names bob.", word=word("carol")
    )
    yield bad("transfer-expired", "`created` is after `expires`.", created=EXPIRES + 1)
    yield bad("transfer-without-time", "`created` is 0.", created=0)
    yield bad(
        "transfer-without-expiry",
        "`expires` is 0: long ago.",
        word=word(edit=lambda world: setting("expires", 0)),
    )


def authors():
    changed = "owner-changed"
    yield built(
        "transfer-by-admin",
        changed,
        "Bob holds s, but the list is not his to give to carol.",
        give("carol", [*BOTH[:2], ("carol", "rws")], by="bob"),
        grants=ADMIN,
    )
    yield built(
        "transfer-by-successor",
        changed,
        "Bob holds s, and gives himself what he said that he takes.",
        give(by="bob"),
        grants=ADMIN,
    )
    yield built(
        "transfer-by-former-owner",
        changed,
        "Alice gave the list to bob, and gives it to carol too.",
        give(),
        give("carol", [*BOTH[:2], ("carol", "rws")], by="alice"),
    )


def elsewhere():
    yield built(
        "transfer-replayed",
        "owner-changed",
        "What bob signed when alice gave him another list of hers.",
        give(word=other_list),
    )
    world = World(nodes=False)
    home = world.alice.trunks["home"]
    hand_over(home, world.bob, [Grant(world.alice, "rws"), Grant(world.bob, "rws")])
    yield case("transfer-of-trunk", "owner-changed", "Alice gives her home away.", home, world.people)


def other_list(world):
    other = Branch(Stream("other list id").take(16), world.alice, "other list branch")
    other.permit([Grant(world.alice, "rws"), Grant(world.bob, "rw")])
    hand_over(other, world.bob, [Grant(world.alice, "rws"), Grant(world.bob, "rws")])
    return other.permissions[-1][0].transfer


def entries():
    yield built("transfer-successor-without-entry", "malformed", "The new owner has no entry.", give("dora", ALL))
    yield built("transfer-successor-without-s", "malformed", "The new owner has r and w only.", give(grants=ALL))
    yield built(
        "transfer-and-gone-without-epoch",
        "epoch-wrong",
        "Alice goes with the same record, but the key stays: an owner cannot leave.",
        give(grants=BOTH[1:]),
    )
    yield bad_first(
        "first-with-transfer",
        "malformed",
        "The first record carries a transfer to alice.",
        lambda world: giving(world.alice, accepted(world.bob.trunks["home"], world.alice)),
    )


def later():
    changed = "owner-changed"
    yield built(
        "transfer-without-change",
        changed,
        "Alice's record carries what bob signed, and names alice.",
        lambda world: permit(BOTH, edit=giving(world.alice, word()(world)))(world),
    )
    yield built("transfer-to-oneself", changed, "Alice takes over from alice.", give("alice", ALL))
    yield built(
        "transfer-carried-on",
        changed,
        "Bob's first record as the owner carries the transfer again.",
        give(),
        lambda world: permit(by="bob", edit=giving(world.bob, world.branch.permissions[-1][0].transfer))(world),
    )
    yield built(
        "owner-changed-back",
        changed,
        "Alice gave the list to bob, and goes on as its owner.",
        give(),
        permit(by="alice", edit=setting("owner", signed_up("alice").user)),
    )
    yield built(
        "former-owner-changes-owner",
        "letter-missing",
        "Alice still holds s, but the owner's letters are bob's to change.",
        give(),
        permit([BOTH[0], ("bob", "rwsB"), BOTH[2]], by="alice"),
    )
    yield built(
        "former-owner-adds",
        "letter-missing",
        "Alice kept rw, and adds dora.",
        give(grants=WRITER),
        permit([*WRITER, ("dora", "r")], by="alice"),
    )
    yield built(
        "former-owner-takes-letters-back",
        "letter-missing",
        "Alice kept rw, and gives herself s.",
        give(grants=WRITER),
        permit(BOTH, by="alice"),
    )
