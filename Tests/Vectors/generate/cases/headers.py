"""branch: headers that are refused for their shape, permissions, author or version (§5.1, 1 to 7)."""

from ..identity import Device
from ..people import World
from ..permissions import setting
from ..primitives import Stream, flip, record_hash
from ..schema import encode
from .branches import add, built, case, delete, edit_milk, grow_bob, permit, revoke_bob, without_carol

END = 1_790_000_000_000
PHONE, TABLET = Device("phone"), Device("tablet")


def cases():
    yield from shape()
    yield from permissions()
    yield from authors()
    yield from versions()


def shape():
    def bad(name, expect, comment, edit):
        return built(name, expect, comment, add(edit=edit))

    def contents(change):
        def edit(header):
            kept = change([type(r).FromString(encode(r)) for r in header.contents])
            del header.contents[:]
            header.contents.extend(kept)

        return edit

    yield bad("suite-unknown", "suite-unknown", "Suite 2.", setting("suite", 2))
    yield bad("operation-too-short", "malformed", "An operation id of 15 bytes.", setting("operation", bytes(15)))
    yield bad(
        "wrapped-key-too-short", "malformed", "A wrapped key of 71 bytes.", setting("wrapped_key", lambda k: k[1:])
    )
    yield bad("section-twice", "malformed", "Two references to section 2.", contents(lambda c: [c[0], c[1], c[1]]))
    yield bad("section-unknown", "malformed", "Section 5.", lambda header: setattr(header.contents[1], "section", 5))
    yield bad(
        "content-hash-too-short",
        "malformed",
        "A content hash of 31 bytes.",
        lambda header: setattr(header.contents[1], "hash", header.contents[1].hash[1:]),
    )
    yield bad("expires-in-a-list", "malformed", "Nothing expires in a list.", setting("expires", END))
    yield expiring("good-home-expires", "ok", "A node in its author's home says when its contents go.", "home")
    yield expiring("good-outbox-expires", "ok", "So does one in the outbox.", "outbox")
    yield expiring("expires-prefs", "malformed", "Nothing expires in prefs.", "prefs")
    yield expiring("expires-root", "malformed", "Home's root does not.", "home", root=True)
    yield built("body-not-parsed", "malformed", "The signed body is not a message.", add(body=lambda h: encode(h)[:-1]))
    yield bad(
        "header-of-another-branch", "branch-mismatch", "A header that names another branch.", setting("branch", flip)
    )


def expiring(name, expect, comment, trunk, root=False):
    world = World(nodes=False)
    branch = world.branch = world.alice.trunks[trunk]
    branch.put(branch.root, edit=setting("expires", END) if root else None)
    if not root:
        branch.put(branch.node("said", data=b"said"), edit=setting("expires", END))
    return case(name, expect, comment, world)


def permissions():
    yield built(
        "permissions-superseded",
        "permissions-superseded",
        "A header after the second record names the first.",
        permit(),
        lambda world: add(edit=setting("permissions", record_hash(world.branch.records[1])))(world),
    )
    yield built(
        "permissions-superseded-after-epoch",
        "permissions-superseded",
        "The new epoch, but the record before it.",
        without_carol,
        lambda world: add("butter", "bob", edit=setting("permissions", record_hash(world.branch.records[1])))(world),
    )
    yield built(
        "permissions-unknown", "permissions-unknown", "No record has this hash.", add(edit=setting("permissions", flip))
    )
    yield built("epoch-ahead", "epoch-wrong", "Epoch 2 while epoch 1 is in force.", add(edit=setting("epoch", 2)))
    yield built(
        "epoch-behind",
        "epoch-wrong",
        "Epoch 1 while epoch 2 is in force.",
        without_carol,
        add(edit=setting("epoch", 1)),
    )


def authors():
    yield built(
        "keyring-position-ahead", "keyring-stale", "Bob's keyring has no position 9.", add("butter", "bob", position=9)
    )
    yield built(
        "keyring-position-below-pin",
        "keyring-stale",
        "A revoked phone writes as of before the renewal.",
        grow_bob,
        revoke_bob,
        permit(new_epoch=True),
        add("butter", "bob", device=PHONE, position=5),
    )
    yield built(
        "device-unknown",
        "device-unknown",
        "A device that is not in bob's keyring.",
        add("butter", "bob", device=TABLET),
    )
    yield built(
        "device-revoked",
        "device-unknown",
        "A device that ended before the named position.",
        grow_bob,
        revoke_bob,
        add("butter", "bob", device=PHONE),
    )
    yield built(
        "device-not-yet",
        "device-unknown",
        "A device that came after the named position.",
        grow_bob,
        add("butter", "bob", device=PHONE, position=4),
    )
    yield built(
        "device-of-another-user",
        "device-unknown",
        "Alice's device in bob's name.",
        lambda world: add("butter", "bob", device=world.alice.device)(world),
    )
    yield built(
        "signature-of-another",
        "signature-bad",
        "Carol's device signs in bob's name.",
        lambda world: add("butter", "bob", key=world.carol.device.key)(world),
    )
    yield built("signature-for-other-domain", "signature-bad", "Signed as a tombstone.", add(domain="tombstone"))
    yield built(
        "parent-changed",
        "signature-bad",
        "The server moves a signed header to another parent.",
        add("dairy"),
        lambda world: add(tamper=setting("parent", world.dairy.cloud_id))(world),
    )
    yield built(
        "node-key-changed",
        "signature-bad",
        "The server puts another wrapped key and commitment into a header.",
        lambda world: add(
            tamper=lambda header: (
                setting("wrapped_key", world.milk.wrapped)(header),
                setting("key_commitment", world.milk.commitment)(header),
            )
        )(world),
    )
    yield built(
        "content-reference-changed",
        "signature-bad",
        "The server lists another node's content.",
        lambda world: add(tamper=lambda header: header.contents[1].CopyFrom(world.milk.references[2]))(world),
    )
    yield built("viewer-writes", "letter-missing", "Carol holds r only.", add("butter", "carol"))
    yield built("stranger-writes", "letter-missing", "Dora has no entry.", add("butter", "dora"))
    yield built(
        "removed-member-writes",
        "letter-missing",
        "Bob was removed and names the record in force.",
        permit(("alice", "rws"), ("carol", "r"), new_epoch=True),
        add("butter", "bob"),
    )


def versions():
    yield built(
        "version-stale",
        "version-stale",
        "Version 2 is there already: bob had not seen it.",
        edit_milk(),
        edit_milk("bob", b"soy milk", edit=setting("version", 2)),
    )
    yield built(
        "previous-stale",
        "version-stale",
        "The version before the last as `previous`.",
        edit_milk(),
        lambda world: edit_milk("bob", b"soy milk", edit=setting("previous", record_hash(world.branch.records[3])))(
            world
        ),
    )
    yield built(
        "header-replayed-over-newer", "version-stale", "An older header of the node is put again.", edit_milk(), replay
    )
    yield built("version-zero", "version-stale", "A new node with version 0.", add(edit=setting("version", 0)))
    yield built(
        "version-two-for-new-node", "version-stale", "A new node with version 2.", add(edit=setting("version", 2))
    )
    yield built(
        "previous-for-new-node",
        "version-stale",
        "A new node with something before it.",
        add(edit=setting("previous", Stream("x").take(32))),
    )
    yield built(
        "recreated-as-new",
        "version-stale",
        "Back after a tombstone, as if it had never been.",
        delete("milk"),
        edit_milk(
            "bob",
            edit=lambda header: [
                setting(field, value)(header) for field, value in (("version", 1), ("previous", bytes(32)), ("revived", 0))
            ],
        ),
    )
    yield built(
        "recreated-over-header",
        "version-stale",
        "Back after a tombstone that `previous` skips.",
        delete("milk"),
        lambda world: edit_milk(
            "bob", edit=lambda header: (setting("previous", record_hash(world.branch.records[3]))(header))
        )(world),
    )
    yield built(
        "read-line-itself",
        "read-wrong",
        "The author claims to have read the line that it becomes.",
        add(edit=setting("author.read_line", 5)),
    )
    yield built(
        "read-line-ahead",
        "read-wrong",
        "The author claims to have read a later line.",
        add(edit=setting("author.read_line", 9)),
        edit_milk("bob"),
    )
    yield built(
        "read-hash-wrong",
        "read-wrong",
        "The author has read another history.",
        add(edit=setting("author.read_hash", flip)),
    )
    yield built(
        "read-hash-of-another-line",
        "read-wrong",
        "The hash of line 3 as that of line 4.",
        lambda world: add(edit=setting("author.read_hash", world.branch.hashes[3]))(world),
    )


def replay(world):
    world.branch.append(1, world.milk.cloud_id, world.branch.records[3], world.branch.contents[3])
