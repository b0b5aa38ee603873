"""branch: what the letters R L U W B let their holders do (§3.6), and burning (§5.6). Dora is the one who has them."""

from types import SimpleNamespace

from ..log import Grant
from ..messages import invitation, sections, send
from ..people import World, signed_up
from ..permissions import setting
from ..primitives import Stream, flip, own_node_id, record_hash, user_id_text
from ..schema import records
from .branches import add, built, case, delete, edit_milk, moving

MISSING = "letter-missing"


def cases():
    yield from write_once()
    yield from own_node()
    yield from records_only()
    yield from leaves_only()
    yield from burning()
    yield from inbox()


def let(dora, anyone=""):
    """A record that gives dora these letters, and anyone those."""

    def step(world):
        grants = [Grant(world.alice, "rws"), Grant(world.bob, "rw"), Grant(world.carol, "r"), Grant(world.dora, dora)]
        world.branch.permit(grants + ([Grant(None, anyone)] if anyone else []))

    return step


def edit(name, by, **options):
    return lambda world: world.branch.put(getattr(world, name), getattr(world, by), seal_sections=(2,), **options)


def write_once():
    yield built("good-write-once", "ok", "W: dora puts a todo.", let("rW"), add("butter", "dora"))
    yield built("good-write-once-without-r", "ok", "W alone; how she got the key is her affair.", let("W"), add("butter", "dora"))
    yield built(
        "write-once-twice", MISSING, "W: her own todo again.", let("rW"), add("butter", "dora"), edit("butter", "dora")
    )
    yield built("write-once-over-anothers", MISSING, "W: alice's todo.", let("rW"), edit_milk("dora"))
    yield built(
        "write-once-brings-back",
        MISSING,
        "W: her todo, which alice deleted.",
        let("rW"),
        add("butter", "dora"),
        delete("butter"),
        edit("butter", "dora"),
    )
    yield built("write-once-deletes", MISSING, "W: she deletes alice's todo.", let("rW"), delete("milk", "dora"))
    root = World(nodes=False)
    let("rW")(root)
    root.branch.put(root.branch.root, root.dora)
    yield case("write-once-root", MISSING, "W: the branch's root, which is not there yet.", root)


def own(name="", by="dora", of="dora", parent=None, **options):
    """A node with the cloudID that is somebody's own."""

    def step(world):
        user = getattr(world, of).user
        node = world.branch.node(name or user_id_text(user), parent and getattr(world, parent), b"mine")
        node.cloud_id = own_node_id(world.branch.id, user)
        world.own = node
        world.branch.put(node, getattr(world, by), **options)

    return step


def own_node():
    yield built("good-own-node", "ok", "U: the node named after dora, twice.", let("rU"), own(), edit("own", "dora"))
    yield built("good-own-node-again", "ok", "U: back after alice deleted it.", let("rU"), own(), delete("own"), edit("own", "dora"))
    yield built("own-node-of-another", MISSING, "U: the node named after carol.", let("rU"), own(of="carol"))
    yield built("own-node-is-another", MISSING, "U: any other node.", let("rU"), add("butter", "dora"))
    yield built("own-node-below-another", MISSING, "U: not below the root.", let("rU"), own(parent="milk"))
    yield built("own-node-deleted", MISSING, "U: she deletes it.", let("rU"), own(), delete("own", "dora"))


def without_data(header):
    kept = [records.ContentReference.FromString(c.SerializeToString()) for c in header.contents if c.section == 1]
    del header.contents[:]
    header.contents.extend(kept)


def records_only():
    yield built("good-records-only", "ok", "R: a todo without data.", let("rwR"), add("butter", "dora", edit=without_data))
    yield built("records-only-with-data", MISSING, "R: a todo with data.", let("rwR"), add("butter", "dora"))
    yield built("records-only-carries-data", MISSING, "R: alice's data, carried over.", let("rwR"), edit_data("dora"))
    yield built("good-anyone-narrowed", "ok", "What narrows anyone does not narrow bob.", let("r", "WRL"), edit_milk("bob"))


def edit_data(by):
    return lambda world: world.branch.put(world.milk, getattr(world, by), seal_sections=(1,))


def leaves_only():
    yield built("good-leaves-only", "ok", "L: a todo below the root.", let("rwL"), add("butter", "dora"))
    yield built("leaves-only-below-todo", MISSING, "L: a todo below a todo.", let("rwL"), add("butter", "dora", "milk"))
    yield built("leaves-only-root", MISSING, "L: the branch's root.", let("rwL"), put_root("dora"))
    yield built("write-once-leaf-below-todo", MISSING, "W and L: below a todo.", let("rWL"), add("butter", "dora", "milk"))


def put_root(by):
    return lambda world: world.branch.put(world.branch.root, getattr(world, by), seal_sections=(1,))


def burn(name, by="dora", *, header=None, **options):
    """A deletion with the header that it takes, or with another one."""

    def step(world):
        node = world.branch.root if name == "root" else getattr(world, name)
        took = header(world) if header else latest(world.branch, node)
        also = options.get("also", lambda _: None)

        def with_header(tombstone):
            tombstone.burned.CopyFrom(took)
            also(tombstone)

        world.branch.delete(node, getattr(world, by), edit=with_header, read=options.get("read"))

    return step


def latest(branch, node):
    return [record for record in branch.records.values() if record_hash(record) == node.previous][0]


def burning():
    mine = (let("rWB"), add("butter", "dora"))
    yield built("good-burned", "ok", "B: dora deletes her todo.", *mine, burn("butter"))
    yield built(
        "good-burned-rows-omitted",
        "ok",
        "The same, when the server has dropped the header's row.",
        *mine,
        burn("butter"),
        omit=lambda branch: branch.superseded(),
    )
    yield built("good-burned-by-writer", "ok", "Bob, who has w, shows the header as well.", burn("milk", "bob"))
    yield built("burned-without-letter", MISSING, "W without B.", let("rW"), add("butter", "dora"), burn("butter"))
    yield built("burned-anothers", MISSING, "B: alice's todo.", *mine, burn("milk"))
    yield built("burned-without-header", MISSING, "B: she does not show that it is hers.", *mine, delete("butter", "dora"))
    yield built("burned-after-change", MISSING, "B: bob changed it since.", *mine, edit("butter", "bob"), burn("butter"))
    yield built(
        "burned-with-child", MISSING, "B: bob put something below it.", *mine, add("salt", "bob", "butter"), burn("butter")
    )
    yield built(
        "burned-with-child-by-writer", MISSING, "Nothing lives below what is burned.", add("salt", "bob", "eggs"), burn("eggs", "bob")
    )
    yield from burned_malformed(mine)


def burned_malformed(mine):
    wrong = "malformed"
    older = lambda world: [r for r in world.branch.records.values() if b"" != r.body][5]
    yield built(
        "burned-older-header", wrong, "Her own header, which bob's has replaced.", *mine, edit("butter", "bob"), burn("butter", header=older)
    )

    def flipped(world):
        took = records.SignedRecord.FromString(latest(world.branch, world.butter).SerializeToString())
        took.signature = flip(took.signature)
        return took

    yield built("burned-signature-flipped", wrong, "Another signature on it.", *mine, burn("butter", header=flipped))
    yield built("burned-root", wrong, "A branch root.", burn("root", "alice"))
    yield built("burned-and-moved", wrong, "It went elsewhere as well.", *mine, burn("butter", also=moving()))
    yield built(
        "burned-node-mismatch",
        wrong,
        "The header of another node.",
        *mine,
        burn("butter", header=lambda world: latest(world.branch, world.milk)),
    )


def inbox():
    def built(name, expect, comment, anyone, *, edit=None, after=lambda world, inbox, signed: None):
        world = World(nodes=False)
        world.bob = signed_up("bob", anyone=anyone)
        inbox = world.bob.trunks["inbox"]
        parts = sections(invitation(world), Stream("metadata"))
        signed, _ = send(inbox, world.alice, world.bob, parts, "message", edit=edit and edit(world, inbox))
        after(world, inbox, signed)
        world.branch = inbox
        return case(name, expect, comment, world)

    def named(world, inbox):
        return setting("cloud_id", own_node_id(inbox.id, world.alice.user))

    def burned(by):
        def after(world, inbox, signed):
            header = records.NodeHeader.FromString(signed.body)
            node = SimpleNamespace(
                cloud_id=header.cloud_id, version=1, previous=record_hash(signed), revived=0, died=lambda hashed: None
            )
            inbox.delete(
                node, getattr(world, by), read=0, edit=lambda tombstone: tombstone.burned.CopyFrom(signed)
            )

        return after

    yield built("good-message-leaf", "ok", "L for anyone: messages hang below the root.", "WL")
    yield built("message-records-only", MISSING, "R for anyone: a message has data.", "WR")
    yield built("good-message-own-node", "ok", "U for anyone: the node named after alice.", "U", edit=named)
    yield built("message-not-own-node", MISSING, "U for anyone: any other node.", "U")
    yield built("good-message-burned", "ok", "B for anyone: alice burns her message.", "WB", after=burned("alice"))
    yield built("message-burned-by-another", MISSING, "Carol burns alice's message.", "WB", after=burned("carol"))
    yield built("message-burned-without-letter", MISSING, "W for anyone without B.", "W", after=burned("alice"))
