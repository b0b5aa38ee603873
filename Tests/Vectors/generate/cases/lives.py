"""branch: nodes that went with one above them and came back, and those that claim it (§5.1, 6 and 8; §5.6)."""

from ..people import World
from ..permissions import setting
from ..primitives import Stream
from .branches import add, built, case, delete, edit_milk


def cases():
    yield from good()
    yield from headers()
    yield from tombstones()


def put(name, by="alice", **options):
    return lambda world: world.branch.put(getattr(world, name), getattr(world, by), **options)


def back(name="cheese", by="bob", **options):
    """Puts a node again that went with one above it."""
    return put(name, by, gone=True, **options)


# Cheese and what is on it go with dairy, which comes back.
GONE = (
    add("dairy"),
    add("cheese", parent="dairy"),
    add("feta", parent="cheese"),
    delete("dairy"),
    put("dairy", "bob"),
)


def living(name, comment, names, *steps, omit=lambda branch: ()):
    """A pull that is right, with the nodes beside milk and eggs that live at its end."""
    world = World()
    for step in steps:
        step(world)
    made = case(name, "ok", comment, world, omit(world.branch))
    nodes = [world.milk, world.eggs, *(getattr(world, node) for node in names.split())]
    made[4]["living"] = sorted(node.cloud_id.hex() for node in nodes)
    return made


def good():
    yield living(
        "good-gone-with-parent", "The parent comes back alone.", "dairy", *GONE, omit=lambda branch: branch.superseded()
    )
    yield living(
        "good-revived", "A node that had gone with its parent comes back below it.", "dairy cheese", *GONE, back()
    )
    yield living(
        "good-revived-edited",
        "What follows says with which version it came back, until it goes again.",
        "dairy cheese",
        *GONE,
        back(),
        put("cheese", seal_sections=(2,)),
        delete("dairy"),
        put("dairy"),
        back(),
    )
    yield living(
        "good-revived-deleted",
        "The tombstone says with which version it had come back.",
        "dairy",
        *GONE,
        back(),
        delete("cheese"),
    )
    yield living(
        "good-revived-then-recreated",
        "After a tombstone of its own it says so, too.",
        "dairy cheese",
        *GONE,
        back(),
        delete("cheese"),
        put("cheese", "bob"),
    )
    yield living(
        "good-revived-rows-omitted",
        "Whoever has only the latest rows sees the same.",
        "dairy cheese brie",
        *GONE,
        back(),
        put("cheese", seal_sections=(2,)),
        add("brie", "bob", parent="cheese"),
        omit=lambda branch: branch.superseded(),
    )
    yield living(
        "good-revived-deleted-rows-omitted",
        "Of the node there is only its tombstone.",
        "dairy",
        *GONE,
        back(),
        delete("cheese"),
        omit=lambda branch: branch.superseded(),
    )
    yield living(
        "good-revived-name-free",
        "What did not come back with its parent holds no name.",
        "dairy cheese feta",
        *GONE,
        back(),
        add("feta", parent="cheese"),
    )
    yield living(
        "good-revived-elsewhere",
        "It comes back, and nothing that it hung below does.",
        "cheese",
        *GONE[:4],
        lambda world: setattr(world.cheese, "parent", world.branch.root),
        back(),
    )


def headers():
    def bad(name, expect, comment, *steps):
        return built(f"revived-{name}", expect, comment, *steps)

    def claim(version):
        return setting("revived", version)

    stale = "version-stale"
    yield bad("ahead", "malformed", "A version later than its own.", edit_milk(edit=claim(3)))
    yield bad("at-first", stale, "A node's first header has nothing to come back from.", add(edit=claim(1)))
    yield bad(
        "after-tombstone-denied",
        stale,
        "Back after a tombstone of its own, and it says that it was never away.",
        delete("milk"),
        edit_milk("bob", edit=claim(0)),
    )
    yield bad(
        "after-tombstone-made-up",
        stale,
        "Back after a tombstone of its own with version 3, and it says 1.",
        delete("milk"),
        edit_milk("bob", edit=claim(1)),
    )
    yield built(
        "revived-before-tombstone-rows-omitted",
        stale,
        "A line that the server calls a tombstone, of which the header that follows later knows nothing.",
        delete("milk"),
        edit_milk("bob", edit=claim(0)),
        edit_milk("bob", edit=claim(0)),
        omit=lambda branch: branch.superseded(),
    )
    yield built(
        "revived-unseen-children",
        "unseen-children",
        "Dairy begins anew, and whoever says so had not read what came below it.",
        add("dairy"),
        lambda world: setattr(world, "seen", len(world.branch.lines)),
        add("cheese", parent="dairy"),
        lambda world: back("dairy", read=world.seen)(world),
        omit=lambda branch: branch.superseded(),
    )
    yield bad("made-up", stale, "A version with which it never came back.", edit_milk("bob", edit=claim(1)))
    yield bad(
        "back-to-zero",
        stale,
        "It came back with version 2, and version 3 denies it.",
        *GONE,
        back(),
        put("cheese", seal_sections=(2,), edit=claim(0)),
    )
    yield bad(
        "goes-back",
        stale,
        "It came back with version 4, and version 5 names the life before.",
        *GONE,
        back(),
        put("cheese"),
        delete("dairy"),
        put("dairy"),
        back(),
        put("cheese", edit=claim(2)),
    )
    yield bad(
        "made-up-when-gone", stale, "It comes back with version 2 and says 1.", *GONE, back(edit=claim(1))
    )
    yield bad(
        "node-key-swapped",
        "node-key-swapped",
        "Back in the same epoch with another node key: only a tombstone of its own allows it.",
        *GONE,
        back(node_key=Stream("swapped").take(32)),
    )
    yield bad(
        "child-below-gone",
        "parent-wrong",
        "Feta did not come back with its parent: nothing hangs below it.",
        *GONE,
        back(),
        add("olives", parent="feta"),
    )


def tombstones():
    yield built(
        "tombstone-revived-before-tombstone-rows-omitted",
        "version-stale",
        "A line that the server calls a tombstone, of which the tombstone that follows later knows nothing.",
        delete("milk"),
        edit_milk("bob", edit=setting("revived", 0)),
        delete("milk", edit=setting("revived", 0)),
        omit=lambda branch: branch.superseded(),
    )

    def bad(name, expect, comment, *steps):
        return built(f"tombstone-revived-{name}", expect, comment, *steps)

    def claim(version):
        return setting("revived", version)

    stale = "version-stale"
    yield bad(
        "denied", stale, "The header before says 2, the tombstone 0.", *GONE, back(), delete("cheese", edit=claim(0))
    )
    yield bad(
        "another", stale, "The header before says 2, the tombstone 1.", *GONE, back(), delete("cheese", edit=claim(1))
    )
    yield bad("made-up", stale, "The node never went with another one.", delete("milk", edit=claim(1)))
    yield bad(
        "its-own", "malformed", "A tombstone brings nothing back: its own version.", delete("milk", edit=claim(2))
    )
