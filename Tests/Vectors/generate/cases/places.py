"""branch: headers that are refused for their place or keys (§5.1, 8 and 9), and tombstones (§5.6)."""

from ..identity import Device
from ..permissions import setting
from ..primitives import Stream, flip, record_hash
from .branches import add, built, chain, delete, edit_milk, move, moving, permit, rename, without_carol

PHONE, TABLET = Device("phone"), Device("tablet")


def cases():
    yield from places()
    yield from keys()
    yield from tombstones()


def places():
    def bad(name, comment, edit):
        return built(name, "parent-wrong", comment, add(edit=edit))

    yield bad("parent-unknown", "No such node.", setting("parent", bytes(16)))
    yield bad(
        "parent-missing",
        "A node without a parent that is not the root.",
        lambda header: (setting("parent", b"")(header), setting("name_token", b"")(header)),
    )
    yield built(
        "root-with-parent",
        "parent-wrong",
        "The root is put below a node.",
        lambda world: world.branch.put(
            world.branch.root,
            edit=lambda header: (
                setting("parent", world.milk.cloud_id)(header),
                setting("name_token", bytes(32))(header),
            ),
        ),
    )
    yield built(
        "parent-is-itself",
        "parent-wrong",
        "A node below itself.",
        lambda world: add(edit=lambda header: setting("parent", header.cloud_id)(header))(world),
    )
    yield built(
        "parent-is-below",
        "parent-wrong",
        "A node below its own child.",
        add("dairy"),
        add("cheese", parent="dairy"),
        move("dairy", "cheese"),
    )
    yield built(
        "parent-deleted",
        "parent-wrong",
        "The parent has a tombstone.",
        add("dairy"),
        delete("dairy"),
        add("cheese", parent="dairy"),
    )
    yield built(
        "parent-below-deleted",
        "parent-wrong",
        "The parent is gone with the node above it.",
        add("dairy"),
        add("cheese", parent="dairy"),
        delete("dairy"),
        add("feta", parent="cheese"),
    )
    yield built(
        "edit-below-deleted",
        "parent-wrong",
        "A node that is gone with its parent is put again, and the parent is not.",
        add("dairy"),
        add("cheese", parent="dairy"),
        delete("dairy"),
        lambda world: world.branch.put(world.cheese, gone=True),
    )
    yield built("depth-70", "limit-exceeded", "70 levels.", *chain(70))
    yield built("name-taken", "name-taken", "Two live children of one parent with one name.", add("9a41b2c3-eggs"))
    yield built(
        "name-taken-by-rename", "name-taken", "A rename to the name of another child.", rename("milk", "9a41b2c3-eggs")
    )
    yield built(
        "name-taken-by-move",
        "name-taken",
        "A move to where the name is taken.",
        add("dairy"),
        add("cheese", parent="dairy"),
        lambda world: setattr(world.milk, "name", "cheese"),
        lambda world: world.branch.put(world.milk, seal_sections=(1,)),
        move("milk", "dairy"),
    )


def keys():
    yield built(
        "content-sealed-by-another",
        "content-unknown",
        "A new content that another device is said to have sealed.",
        add(edit=lambda header: setattr(header.contents[1], "device", PHONE.id)),
    )
    yield built(
        "content-of-another-node",
        "content-unknown",
        "Bob lists a content of another node that alice sealed.",
        lambda world: add("butter", "bob", edit=lambda header: header.contents[1].CopyFrom(world.milk.references[2]))(
            world
        ),
    )
    yield built(
        "content-dropped-earlier",
        "content-unknown",
        "A content that the preceding header no longer lists.",
        lambda world: setattr(world, "old", world.milk.references[2]),
        edit_milk(),
        lambda world: world.branch.put(
            world.milk, world.bob, edit=lambda header: header.contents[1].CopyFrom(world.old)
        ),
    )
    yield built(
        "carried-reference-changed",
        "content-unknown",
        "A carried content with another length.",
        lambda world: world.branch.put(
            world.milk,
            world.bob,
            edit=lambda header: setattr(header.contents[1], "length", header.contents[1].length + 1),
        ),
    )
    yield built(
        "node-key-reused",
        "node-key-reused",
        "The old node key, wrapped anew in the new epoch.",
        without_carol,
        lambda world: edit_milk("bob", node_key=world.milk.key)(world),
    )
    yield built(
        "wrapped-key-reused",
        "node-key-reused",
        "The old wrapped key in the new epoch.",
        lambda world: setattr(world, "wrapped", world.milk.wrapped),
        without_carol,
        lambda world: edit_milk("bob", edit=setting("wrapped_key", world.wrapped))(world),
    )
    yield built(
        "node-key-swapped",
        "node-key-swapped",
        "Another node key in the same epoch.",
        edit_milk("bob", node_key=Stream("swapped").take(32)),
    )
    yield built(
        "node-key-wrapped-again",
        "node-key-swapped",
        "The same node key, wrapped anew in the same epoch.",
        lambda world: edit_milk("bob", node_key=world.milk.key)(world),
    )
    yield built(
        "recipient-in-list",
        "message-wrong",
        "A header with a recipient outside an inbox.",
        lambda world: add(
            "butter",
            "bob",
            edit=lambda header: (
                setting("recipient", world.alice.user)(header),
                setting("recipient_generation", 1)(header),
                setting("wrapped_key", Stream("box").take(80))(header),
            ),
        )(world),
    )


def tombstones():
    def bad(name, expect, comment, *steps):
        return built(f"tombstone-{name}", expect, comment, *steps)

    yield bad("suite-unknown", "suite-unknown", "Suite 2.", delete(edit=setting("suite", 2)))
    yield bad(
        "of-another-branch",
        "branch-mismatch",
        "A tombstone that names another branch.",
        delete(edit=setting("branch", flip)),
    )
    yield bad(
        "permissions-superseded",
        "permissions-superseded",
        "A tombstone that names the first record.",
        permit(),
        lambda world: delete(edit=setting("permissions", record_hash(world.branch.records[1])))(world),
    )
    yield bad("epoch-wrong", "epoch-wrong", "Epoch 2 while epoch 1 is in force.", delete(edit=setting("epoch", 2)))
    yield bad(
        "device-unknown", "device-unknown", "A device that is not in bob's keyring.", delete(by="bob", device=TABLET)
    )
    yield bad("signature-for-other-domain", "signature-bad", "Signed as a header.", delete(domain="node-header"))
    yield bad("by-viewer", "letter-missing", "Carol holds r only.", delete(by="carol"))
    yield bad("of-root-by-editor", "letter-missing", "Only the owner deletes the branch.", delete("root", "bob"))
    yield bad(
        "stale",
        "version-stale",
        "The node has changed since.",
        edit_milk(),
        lambda world: delete(
            by="bob",
            edit=lambda tombstone: (
                setting("version", 2)(tombstone),
                setting("previous", record_hash(world.branch.records[3]))(tombstone),
            ),
        )(world),
    )
    yield bad("twice", "version-stale", "The node is dead already.", delete(), delete(by="bob"))
    yield bad(
        "of-unknown-node",
        "version-stale",
        "A node that was never there.",
        lambda world: world.branch.delete(world.branch.node("ghost")),
    )
    yield bad(
        "read-wrong",
        "read-wrong",
        "The author has read another history.",
        delete(edit=setting("author.read_hash", flip)),
    )
    yield bad(
        "unseen-children",
        "unseen-children",
        "A child came after what the author had read.",
        add("dairy"),
        add("cheese", "bob", parent="dairy"),
        delete("dairy", read=5),
    )
    yield bad("moved-cut", "malformed", "A destination of 55 bytes.", delete(edit=moving(cut=1)))
    yield bad("moved-of-root", "malformed", "A branch cannot go to another branch.", delete("root", edit=moving()))
    yield bad(
        "moved-version-cut",
        "malformed",
        "A version of 31 bytes.",
        delete(edit=lambda tombstone: (moving()(tombstone), setting("moved.version_copied", bytes(31))(tombstone))),
    )
    yield bad(
        "moved-unseen-children",
        "unseen-children",
        "A child came after what the author had read.",
        add("dairy"),
        add("cheese", "bob", parent="dairy"),
        delete("dairy", read=5, edit=moving()),
    )
