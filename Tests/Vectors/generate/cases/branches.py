"""branch: whole pulls that are right, and the steps that the other cases of branches take."""

from ..identity import Device
from ..log import Grant
from ..nodes import seal_destination
from ..people import World
from ..permissions import leave
from ..primitives import Stream
from ..schema import encode

PHONE, TABLET = Device("phone"), Device("tablet")


def case(name, expect, comment, world, omit=()):
    fields = world.page(omit)
    if expect == "ok":
        fields["branch_keys"] = {str(epoch): key.hex() for epoch, key in world.branch.keys.items()}
    return (
        "branch",
        name,
        expect,
        comment,
        {
            key: fields[key]
            for key in (
                "branch",
                "first",
                "keyrings",
                "lines",
                "rows",
                "head_line",
                "head_hash",
                *(["branch_keys"] if expect == "ok" else []),
            )
        },
    )


def built(name, expect, comment, *steps, omit=lambda branch: (), **options):
    world = World(**options)
    for step in steps:
        step(world)
    return case(name, expect, comment, world, omit(world.branch))


def edit_milk(by="alice", data=b"oat milk", **options):
    def step(world):
        world.milk.data = data
        world.branch.put(world.milk, getattr(world, by), seal_sections=(2,), **options)

    return step


def add(name="butter", by="alice", parent=None, **options):
    def step(world):
        node = world.branch.node(name, parent and getattr(world, parent), name.encode())
        setattr(world, name, node)
        world.branch.put(node, getattr(world, by), **options)

    return step


def delete(name="milk", by="alice", **options):
    return lambda world: world.branch.delete(
        world.branch.root if name == "root" else getattr(world, name), getattr(world, by), **options
    )


def moving(world=None, cut=0):
    """Makes a tombstone one of a node that went to another branch; without a world to a place that nobody can open."""

    def edit(tombstone):
        random = Stream("moving")
        sealed, to = random.take(56), random.take(16)
        if world:
            key = world.branch.keys[tombstone.epoch]
            nonce = random.take(24)
            sealed = seal_destination(key, tombstone.branch, tombstone.cloud_id, tombstone.epoch, to, nonce)
        tombstone.moved.version_copied = tombstone.previous
        tombstone.moved.destination = sealed[cut:]

    return edit


def permit(*names_letters, new_epoch=False, **options):
    def step(world):
        grants = [Grant(getattr(world, name), text) for name, text in names_letters] or [
            Grant(grant.person, grant.text) for grant in world.branch.grants
        ]
        world.branch.permit(grants, new_epoch=new_epoch, **options)

    return step


def grow_bob(world):
    world.bob.add_device(PHONE, world.bob.device)


def revoke_bob(world):
    world.bob.revoke(PHONE, 5, world.bob.device)
    world.bob.rotate(world.bob.device)


def without_carol(world):
    permit(("alice", "rws"), ("bob", "rw"), new_epoch=True)(world)


def rename(name, to):
    def step(world):
        node = getattr(world, name)
        node.name = to
        world.branch.put(node, seal_sections=(1,))

    return step


def move(name, parent, by="alice", **options):
    def step(world):
        node = getattr(world, name)
        node.parent = getattr(world, parent)
        world.branch.put(node, getattr(world, by), **options)

    return step


def cases():
    yield from good()


def good():
    yield built("good-first-record-only", "ok", "A branch that has nothing but its permissions.", nodes=False)
    yield built("good-shared-list", "ok", "Alice makes the list, bob writes in it.")
    yield built("good-edited", "ok", "Bob edits alice's todo: the metadata section is carried over.", edit_milk("bob"))
    yield built(
        "good-superseded-rows-omitted",
        "ok",
        "The server keeps each node's latest row only.",
        edit_milk("bob"),
        edit_milk(data=b"goat milk"),
        rename("milk", "moo"),
        delete("eggs"),
        omit=lambda branch: branch.superseded(),
    )
    yield built(
        "good-parent-row-later",
        "ok",
        "The parent's latest row comes after its child's.",
        add("dairy"),
        add("cheese", parent="dairy"),
        rename("dairy", "diary"),
        omit=lambda branch: branch.superseded(),
    )
    yield built("good-read-behind", "ok", "The author had read line 2 only.", add("butter", read=2))
    yield built(
        "good-member-added",
        "ok",
        "Dora comes in the same epoch and writes.",
        permit(("alice", "rws"), ("bob", "rw"), ("carol", "r"), ("dora", "rw")),
        add("butter", "dora"),
    )
    yield built(
        "good-removal-new-epoch",
        "ok",
        "Carol goes; the next edit takes a new node key, older nodes stay.",
        without_carol,
        edit_milk("bob"),
        add("butter"),
    )
    yield built(
        "good-leave",
        "ok",
        "Carol leaves in the same epoch, then bob writes.",
        lambda world: leave(world.branch, world.carol),
        edit_milk("bob"),
    )
    yield built(
        "good-second-device",
        "ok",
        "Bob writes from a phone that came later than his pin.",
        grow_bob,
        lambda world: add("butter", "bob", device=PHONE)(world),
    )
    yield built(
        "good-revoked-device-before-renewal",
        "ok",
        "The phone names a position at which it was active and that is not below the pin.",
        grow_bob,
        revoke_bob,
        add("butter", "bob", device=PHONE, position=5),
    )
    yield built(
        "good-renewal-by-writer",
        "ok",
        "Bob renews after revoking a device, and writes.",
        grow_bob,
        revoke_bob,
        lambda world: permit(new_epoch=True, by=world.bob)(world),
        edit_milk("bob"),
    )
    yield built("good-tombstone", "ok", "Bob deletes alice's todo.", delete("milk", "bob"))
    yield built(
        "good-subtree-deleted",
        "ok",
        "Everything below goes with the node.",
        add("dairy"),
        add("cheese", parent="dairy"),
        delete("dairy"),
    )
    yield built(
        "good-moved-away",
        "ok",
        "A node and what is below it go to another branch.",
        add("dairy"),
        add("cheese", parent="dairy"),
        lambda world: delete("dairy", "bob", edit=moving(world))(world),
    )
    yield built(
        "good-moved-out-of-sight",
        "ok",
        "A destination that does not open makes the tombstone no worse.",
        delete("milk", edit=moving()),
    )
    yield built(
        "good-moved-and-back",
        "ok",
        "A node that had gone to another branch comes back.",
        lambda world: delete("milk", edit=moving(world))(world),
        edit_milk("bob"),
    )
    yield built(
        "good-recreated",
        "ok",
        "A node comes back after its tombstone, with a new key.",
        delete("milk"),
        edit_milk("bob"),
    )
    yield built("good-deleted-twice", "ok", "Deleted, back, deleted.", delete("milk"), edit_milk("bob"), delete("milk"))
    yield built(
        "good-name-free-again", "ok", "The name of a deleted node may be taken.", delete("milk"), add("5f0c8d7e-milk")
    )
    yield built(
        "good-moved",
        "ok",
        "A node goes below another one, its contents are carried.",
        add("dairy"),
        move("milk", "dairy"),
    )
    yield built("good-root-deleted-by-owner", "ok", "The owner deletes the branch.", delete("root"))
    yield built(
        "good-carried-from-other-device",
        "ok",
        "Bob carries a content that alice's device sealed.",
        lambda world: world.branch.put(world.milk, world.bob),
    )
    yield built("good-depth-60", "ok", "60 levels.", *chain(60))
    yield built(
        "good-fields-in-other-order",
        "ok",
        "The body's fields stand in another order.",
        add(body=lambda header: other_order(header)),
    )
    yield built(
        "good-unknown-field",
        "ok",
        "A field of a later version is signed with the rest.",
        add(body=lambda header: encode(header) + bytes.fromhex("fa0703010203")),
    )


def other_order(header):
    first = type(header)(author=header.author, operation=header.operation)
    header.ClearField("author")
    header.ClearField("operation")
    return encode(first) + encode(header)


def chain(levels):
    def step(level):
        parent = f"level{level - 1}" if level > 1 else None
        return add(f"level{level}", parent=parent)

    return [step(level) for level in range(1, levels + 1)]
