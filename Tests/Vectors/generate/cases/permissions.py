"""permissions: §3. A log of permissions lines only: record v stands at line v."""

from ..identity import Device
from ..log import Grant, keyrings
from ..people import World, signed_up
from ..permissions import anyone, entry_setting, give, leave, reorder, setting, without
from ..primitives import ZERO, Stream, flip, record_hash, record_hex

PHONE, TABLET = Device("phone"), Device("tablet")


def case(name, expect, comment, branch, people, first=None):
    fields = {
        "branch": branch.id.hex(),
        "keyrings": keyrings(people),
        "records": [record_hex(signed) for _, signed in branch.permissions],
        "first": (first or record_hash(branch.records[1])).hex(),
    }
    if expect == "ok":
        fields["log"] = {"head_line": len(branch.lines), "head_hash": branch.hashes[-1].hex()}
        fields["branch_keys"] = {str(epoch): key.hex() for epoch, key in branch.keys.items()}
    return "permissions", name, expect, comment, fields


def built(name, expect, comment, *steps, grants=None):
    """The shared list (alice owner, bob editor, carol viewer), then the steps."""
    world = World(nodes=False, grants=grants)
    for step in steps:
        step(world)
    return case(name, expect, comment, world.branch, world.people)


ADMIN = {"alice": "rws", "bob": "rws", "carol": "r"}
ALL = (("alice", "rws"), ("bob", "rw"), ("carol", "r"))


def permit(grants=None, by="alice", **options):
    """grants: (name, letters[, position]); absent: the same again with everybody pinned where they are now."""

    def step(world):
        listed = [Grant(getattr(world, name), *rest) for name, *rest in grants] if grants else None
        if listed is None:
            listed = [Grant(grant.person, grant.text) for grant in world.branch.grants]
        world.branch.permit(listed, getattr(world, by), **options)

    return step


def grow(name, *, revoked=True):
    """The person's keyring: a phone comes and goes, the user key rotates."""

    def step(world):
        person = getattr(world, name)
        person.add_device(PHONE, person.device)
        if revoked:
            person.revoke(PHONE, 5, person.device)
            person.rotate(person.device)

    return step


def noise(record):
    """In the place of the older key."""
    record.older_keys[-1].sealed = Stream("noise").take(72)


def cases():
    yield from good()
    yield from first()
    yield from shape()
    yield from pins()
    yield from chain()


def good():
    yield built("good-shared", "ok", "Owner, editor, viewer.")
    for trunk in ("home", "inbox"):
        alice = signed_up("alice")
        yield case(
            f"good-trunk-{trunk}", "ok", "A trunk's first record, pinned at position 3.", alice.trunks[trunk], [alice]
        )
    yield built("good-member-added", "ok", "The owner adds dora in the same epoch.", permit([*ALL, ("dora", "rw")]))
    yield built("good-all-letters", "ok", "Dora has every letter there is.", permit([*ALL, ("dora", "rwsRLUWB")]))
    yield built(
        "good-anyone-narrowed",
        "ok",
        "Anyone may have all letters but r, w and s.",
        permit(edit=anyone("RLUWB")),
    )
    yield built(
        "good-member-removed",
        "ok",
        "Carol goes, the epoch rises, the older key is sealed under the new.",
        permit(ALL[:2], new_epoch=True),
    )
    yield built(
        "good-two-epochs",
        "ok",
        "Two removals: each record has the key of the epoch before.",
        permit(ALL[:2], new_epoch=True),
        permit(ALL[:1], new_epoch=True),
    )
    yield built(
        "good-every-older-key",
        "ok",
        "Epoch 4 has the keys of all epochs before, as every record once had.",
        *[permit(new_epoch=True)] * 2,
        permit(new_epoch=True, older=[1, 2, 3]),
    )
    yield built(
        "good-older-key-mended",
        "ok",
        "Epoch 3 hides the key of epoch 2, which epoch 4 has beside that of epoch 3.",
        permit(new_epoch=True),
        permit(new_epoch=True, edit=noise),
        permit(new_epoch=True, older=[2, 3]),
    )
    yield built(
        "good-admin-adds",
        "ok",
        "A holder of s who is not the owner adds dora.",
        permit([("alice", "rws"), ("bob", "rws"), ("carol", "r"), ("dora", "r")], "bob"),
        grants=ADMIN,
    )
    yield built(
        "good-renewal-by-writer",
        "ok",
        "Carol's keyring has moved on; bob, a writer, renews in a new epoch.",
        grow("carol"),
        permit(by="bob", new_epoch=True),
    )
    yield built(
        "good-renewal-same-epoch",
        "ok",
        "A renewal need not raise the epoch.",
        grow("carol", revoked=False),
        permit(by="bob"),
    )
    yield built(
        "good-leave",
        "ok",
        "Carol, a viewer, removes her own entry in the same epoch.",
        lambda world: leave(world.branch, world.carol),
    )
    yield built(
        "good-admin-leaves",
        "ok",
        "A holder of s leaves; the owner renews with a new epoch.",
        lambda world: leave(world.branch, world.bob),
        permit(new_epoch=True),
        grants=ADMIN,
    )
    yield built(
        "good-letter-taken",
        "ok",
        "w is taken from bob, r stays: the epoch may stay.",
        permit([ALL[0], ("bob", "r"), ALL[2]]),
    )
    yield built(
        "good-older-device-position",
        "ok",
        "The author names an older position at which the phone was active.",
        lambda world: world.alice.add_device(PHONE, world.alice.device),
        lambda world: world.alice.revoke(PHONE, 5, world.alice.device),
        lambda world: world.branch.permit(
            [Grant(world.alice, "rws", 5), Grant(world.bob, "r")], world.alice, PHONE, position=5, new_epoch=True
        ),
    )


def bad_first(name, expect, comment, edit=None, grants=None, **options):
    """The owner's first record, with one thing wrong."""
    world = World(nodes=False, grants={"alice": "rws"})
    branch = world.branch
    branch.lines, branch.permissions, branch.hashes, branch.records = [], [], branch.hashes[:1], {}
    listed = grants(world) if grants else [Grant(world.alice, "rws"), Grant(world.bob, "rw"), Grant(world.carol, "r")]
    branch.permit(listed, options.pop("by", lambda world: world.alice)(world), edit=edit and edit(world), **options)
    return case(name, expect, comment, branch, world.people)


def first():
    wrong = "first-record-wrong"
    yield bad_first(
        "first-previous-not-zeros",
        wrong,
        "Something before the first record.",
        lambda world: setting("previous", flip(ZERO)),
    )
    yield bad_first("first-epoch-two", wrong, "The first record has epoch 2.", lambda world: setting("epoch", 2))
    yield bad_first(
        "first-with-older-keys",
        wrong,
        "The first record has an older key.",
        lambda world: lambda record: record.older_keys.add(epoch=1, sealed=Stream("older").take(72)),
    )
    yield bad_first(
        "first-by-another",
        wrong,
        "Bob, who holds s, signs alice's first record.",
        by=lambda world: world.bob,
        grants=lambda world: [Grant(world.alice, "rws"), Grant(world.bob, "rws")],
    )
    world, other = World(nodes=False), World(nodes=False)
    other.branch.permit()
    yield case(
        "first-record-another",
        wrong,
        "A valid chain, but not the one that the pointer names.",
        world.branch,
        world.people,
        first=record_hash(other.branch.records[2]),
    )
    for bad in (
        ("suite-unknown", "Suite 2.", "suite", 2),
        ("malformed", "A commitment of 31 bytes.", "branch_key_commitment", bytes(31)),
    ):
        expect, comment, field, value = bad
        yield bad_first(
            "suite-unknown" if field == "suite" else f"{field.replace('_', '-')}-too-short",
            expect,
            comment,
            lambda world: setting(field, value),
        )


def shape():
    def bad(name, comment, edit):
        return bad_first(name, "malformed", comment, edit)

    yield bad("entries-not-sorted", "Entries in another order.", lambda world: reorder(lambda entries: entries[::-1]))
    yield bad(
        "entry-twice",
        "A user with two entries.",
        lambda world: reorder(lambda entries: sorted([*entries, entries[0]], key=lambda entry: entry.user)),
    )
    yield bad("owner-missing", "No entry for the owner.", lambda world: lambda record: without(record, world.alice))
    yield bad("owner-without-s", "The owner has r and w only.", lambda world: give(world.alice, "rw"))
    yield bad(
        "letters-zero",
        "An entry that gives nothing.",
        lambda world: lambda record: (
            entry_setting(world.bob, "letters", 0)(record),
            entry_setting(world.bob, "sealed_key", b"")(record),
        ),
    )
    yield bad(
        "letters-beyond-eight-bits", "A ninth letter.", lambda world: entry_setting(world.bob, "letters", 256 + 3)
    )
    yield bad(
        "user-too-short",
        "A user of 19 bytes.",
        lambda world: lambda record: (entry_setting(world.bob, "user", lambda user: user[:-1])(record)),
    )
    yield bad(
        "reader-without-key", "r without a sealed key.", lambda world: entry_setting(world.bob, "sealed_key", b"")
    )
    yield bad("key-without-r", "A sealed key without r.", lambda world: give(world.bob, "w"))
    yield bad(
        "sealed-key-too-short",
        "A sealed key of 79 bytes.",
        lambda world: entry_setting(world.bob, "sealed_key", lambda key: key[:-1]),
    )
    yield bad("anyone-may-share", "s for anyone.", lambda world: anyone("sW"))
    yield bad("anyone-may-write", "w for anyone.", lambda world: anyone("wW"))
    yield bad(
        "anyone-may-read", "r for anyone, with a key.", lambda world: anyone("r", sealed_key=Stream("anyone").take(80))
    )
    yield bad("anyone-pinned", "A position for anyone.", lambda world: anyone("W", keyring_position=4))
    yield bad("anyone-with-key", "A key for anyone.", lambda world: anyone("W", sealed_key=Stream("anyone").take(80)))


def pins():
    yield bad_first(
        "pin-future",
        "pin-wrong",
        "Bob's keyring has no position 9.",
        lambda world: entry_setting(world.bob, "keyring_position", 9),
    )
    yield bad_first(
        "pin-before-trunks",
        "pin-wrong",
        "Position 3 in a branch that is no trunk.",
        lambda world: entry_setting(world.bob, "keyring_position", 3),
    )
    yield bad_first(
        "pin-generation-future",
        "pin-wrong",
        "A generation that bob does not have.",
        lambda world: entry_setting(world.bob, "generation", 2),
    )
    yield built(
        "pin-generation-past",
        "pin-wrong",
        "The generation before the one at that position.",
        grow("carol"),
        lambda world: permit(by="bob", new_epoch=True, edit=entry_setting(world.carol, "generation", 1))(world),
    )
    yield built(
        "pin-goes-back",
        "keyring-stale",
        "Carol was pinned at 7, now at 4.",
        grow("carol"),
        permit(new_epoch=True),
        permit([*ALL[:2], ("carol", "r", 4)], new_epoch=True),
    )
    yield built(
        "author-position-goes-back",
        "keyring-stale",
        "Alice is pinned at 5 and signs as of 4.",
        grow("alice", revoked=False),
        permit(),
        permit(position=4),
    )


def chain():
    def bad(name, expect, comment, grants=None, **options):
        return built(name, expect, comment, permit(grants, **options))

    yield bad("version-skipped", "permissions-superseded", "Version 3 follows 1.", edit=setting("version", 3))
    yield bad("version-repeated", "permissions-superseded", "Version 1 again.", edit=setting("version", 1))
    yield bad("previous-wrong", "permissions-superseded", "Another record before.", edit=setting("previous", flip))
    yield built(
        "fork",
        "permissions-superseded",
        "Versions 2 and 3 both follow version 1.",
        permit(),
        lambda world: permit(edit=setting("previous", record_hash(world.branch.records[1])))(world),
    )
    yield built(
        "read-line-behind", "permissions-superseded", "The author had not read line 2.", permit(), permit(read=1)
    )
    yield bad(
        "read-hash-wrong",
        "permissions-superseded",
        "The author read another line 1.",
        edit=setting("author.read_hash", flip),
    )
    yield bad(
        "owner-changed",
        "owner-changed",
        "Bob as owner.",
        [("alice", "rws"), ("bob", "rws"), ("carol", "r")],
        edit=setting("owner", signed_up("bob").user),
    )
    yield bad("branch-changed", "branch-mismatch", "A record of another branch.", edit=setting("branch", flip))
    yield bad("epoch-skipped", "epoch-wrong", "Epoch 3 follows 1.", edit=setting("epoch", 3))
    yield bad("epoch-goes-back", "epoch-wrong", "Epoch 0 follows 1.", edit=setting("epoch", 0))
    yield bad(
        "commitment-changed", "epoch-wrong", "The same epoch, another key.", edit=setting("branch_key_commitment", flip)
    )
    yield built(
        "older-key-dropped",
        "epoch-wrong",
        "A new epoch without the older key.",
        permit(new_epoch=True, edit=lambda record: record.ClearField("older_keys")),
    )
    yield built(
        "older-key-changed",
        "epoch-wrong",
        "The same epoch, another older key.",
        permit(new_epoch=True),
        permit(edit=lambda record: setattr(record.older_keys[0], "sealed", flip(record.older_keys[0].sealed))),
    )
    for name, comment, older in (
        ("older-keys-swapped", "The older keys stand in another order.", [2, 1]),
        ("older-key-twice", "The key of epoch 2 twice.", [2, 2]),
        ("older-key-before-last", "Epoch 3 has the key of epoch 1, and not that of epoch 2.", [1]),
        ("older-key-of-this-epoch", "Epoch 3 has its own key among the older ones.", [2, 3]),
    ):
        yield built(name, "epoch-wrong", comment, permit(new_epoch=True), permit(new_epoch=True, older=older))
    yield built(
        "older-key-of-epoch-zero",
        "epoch-wrong",
        "An older key of an epoch that there never is.",
        permit(new_epoch=True),
        permit(new_epoch=True, older=[1, 2], edit=lambda record: setattr(record.older_keys[0], "epoch", 0)),
    )
    yield bad("removed-without-epoch", "epoch-wrong", "Carol goes, but the key stays.", ALL[:2])
    yield bad(
        "r-taken-without-epoch",
        "epoch-wrong",
        "Bob keeps w but loses r, and the key stays.",
        [ALL[0], ("bob", "w"), ALL[2]],
    )
