"""branch: what a lying server does with lines and rows (§4.3), and messages in an inbox (§5.1)."""

from ..log import Branch, Grant
from ..messages import invitation, sections, send
from ..people import World, signed_up
from ..permissions import setting
from ..primitives import D, H, Stream, flip, record_hash, record_hex, sign, u64
from ..schema import encode, records
from .branches import add, case, delete, edit_milk, permit


def cases():
    yield from lines()
    yield from rows()
    yield from chains()
    yield from inbox()


def told(name, expect, comment, lie, *steps, omit=lambda branch: ()):
    """A whole pull that is right, then `lie` changes the page."""
    world = World()
    for step in (edit_milk("bob"), add("butter"), *steps):
        step(world)
    kind, name, expect, comment, fields = case(name, expect, comment, world, omit(world.branch))
    cut = [bytes.fromhex(fields["lines"])[at : at + 57] for at in range(0, len(world.branch.lines) * 57, 57)]
    lie(world, fields, cut)
    fields["lines"] = b"".join(cut).hex()
    return kind, name, expect, comment, fields


def rechained(world, fields, cut):
    """The head that these lines lead to: the server tells one story, but another than the one that was written."""
    hashed = world.branch.hashes[0]
    for line in cut:
        hashed = H(D("line"), hashed + line)
    fields["head_line"], fields["head_hash"] = len(cut), hashed.hex()


def numbered(cut):
    cut[:] = [u64(number) + line[8:] for number, line in enumerate(cut, 1)]


def superseded(branch):
    return branch.superseded()


def lines():
    broken = "chain-broken"

    def gap(world, fields, cut):
        del cut[2]

    def gap_rechained(world, fields, cut):
        del cut[2]
        rechained(world, fields, cut)
        fields["head_line"] = 6

    def gap_renumbered(world, fields, cut):
        del cut[2]
        numbered(cut)
        fields["head_line"] = 5
        fields["rows"] = [{**row, "line": row["line"] - (row["line"] > 3)} for row in fields["rows"]]

    def changed(world, fields, cut):
        cut[2] = flip(cut[2])

    def changed_kind(world, fields, cut):
        cut[2] = cut[2][:8] + b"\x02" + cut[2][9:]

    def changed_node(world, fields, cut):
        cut[2] = cut[2][:9] + bytes(16) + cut[2][25:]

    def repeated(world, fields, cut):
        cut.insert(3, cut[2])

    def from_two(world, fields, cut):
        del cut[0]
        fields["rows"] = fields["rows"][1:]

    def reordered(world, fields, cut):
        cut[2], cut[3] = cut[3], cut[2]

    def reordered_renumbered(world, fields, cut):
        cut[3], cut[4] = cut[4], cut[3]
        numbered(cut)
        exchanged = {4: 5, 5: 4}
        fields["rows"] = sorted(
            ({**row, "line": exchanged.get(row["line"], row["line"])} for row in fields["rows"]),
            key=lambda row: row["line"],
        )

    def head(world, fields, cut):
        fields["head_hash"] = flip(world.branch.hashes[-1]).hex()

    def shorter(world, fields, cut):
        del cut[5]
        fields["head_line"] = 5
        fields["rows"] = fields["rows"][:-1]

    # Line 3 is milk's first header; its row was dropped, so only the chain can tell.
    yield told("line-missing", broken, "Line 3 is missing.", gap, omit=superseded)
    yield told(
        "line-missing-rechained",
        broken,
        "Line 3 is missing, and the head fits the lines that are there.",
        gap_rechained,
        omit=superseded,
    )
    yield told(
        "line-missing-renumbered", broken, "Line 3 is missing, and the others move up.", gap_renumbered, omit=superseded
    )
    yield told("line-hash-changed", broken, "One bit of a record hash changed.", changed, omit=superseded)
    yield told("line-kind-changed", broken, "A header's line says tombstone.", changed_kind, omit=superseded)
    yield told("line-node-changed", broken, "A line names another node.", changed_node, omit=superseded)
    yield told("line-repeated", broken, "Line 3 comes twice.", repeated, omit=superseded)
    yield told("first-line-missing", broken, "The page begins with line 2.", from_two, omit=superseded)
    yield told("lines-reordered", broken, "Lines 3 and 4 changed places.", reordered, omit=superseded)
    yield told(
        "lines-reordered-renumbered",
        broken,
        "Lines 4 and 5 changed places and numbers.",
        reordered_renumbered,
        omit=superseded,
    )
    yield told("head-hash-wrong", broken, "The head has another hash than the lines lead to.", head)
    yield told("last-line-dropped", broken, "The last line is dropped, its hash stays the head's.", shorter)


def rows():
    def row(world, fields, line):
        return next(row for row in fields["rows"] if row["line"] == line)

    def swapped(world, fields, cut):
        milk, butter = row(world, fields, 5), row(world, fields, 6)
        milk["record"], butter["record"] = butter["record"], milk["record"]

    def older(world, fields, cut):
        row(world, fields, 5)["record"] = record_hex(world.branch.records[3])

    def resigned(world, fields, cut):
        record = type(world.branch.records[6])()
        record.CopyFrom(world.branch.records[6])
        record.signature = flip(record.signature)
        row(world, fields, 6)["record"] = record_hex(record)

    def permissions(world, fields, cut):
        other = Branch(world.branch.id, world.alice, "another")
        other.permit([Grant(world.alice, "rws"), Grant(world.dora, "r")])
        row(world, fields, 1)["record"] = record_hex(other.records[1])

    def without(line):
        def lie(world, fields, cut):
            fields["rows"] = [one for one in fields["rows"] if one["line"] != line]

        return lie

    def another_node(world, fields, cut):
        cut[5] = cut[5][:9] + Stream("ghost").take(16) + cut[5][25:]
        rechained(world, fields, cut)

    yield told("rows-swapped", "row-mismatch", "The rows of lines 5 and 6 changed places.", swapped)
    yield told("row-rolled-back", "row-mismatch", "The node's older header stands at its later line.", older)
    yield told("row-signature-changed", "row-mismatch", "The record hash covers the signature.", resigned)
    yield told("permissions-row-replaced", "row-mismatch", "Another permissions record at line 1.", permissions)
    yield told(
        "line-names-another-node", "row-mismatch", "A line that names another node than its record does.", another_node
    )
    yield told("row-missing", "row-missing", "The last row of a node is withheld.", without(6))
    yield told(
        "row-missing-of-tombstone", "row-missing", "The tombstone of a node is withheld.", without(7), delete("milk")
    )
    yield told("row-missing-older-given", "row-missing", "Of a node only an older row is there.", without(5))
    yield told("row-missing-of-permissions", "row-missing", "A permissions record is withheld.", without(7), permit())


def chains():
    """Permissions chains in a branch that holds nodes, too."""

    def built(name, expect, comment, *steps):
        world = World()
        for step in steps:
            step(world)
        return case(name, expect, comment, world)

    world, other = World(), World()
    other.branch.permit()
    kind, name, expect, comment, fields = case(
        "first-record-another", "first-record-wrong", "A whole branch, but not the one that the pointer names.", world
    )
    fields["first"] = record_hash(other.branch.records[5]).hex()
    yield kind, name, expect, comment, fields
    yield built(
        "permissions-chain-broken",
        "permissions-superseded",
        "The second record has another one before it.",
        permit(edit=setting("previous", flip)),
    )
    yield built(
        "permissions-version-skipped",
        "permissions-superseded",
        "Version 3 follows 1.",
        permit(edit=setting("version", 3)),
    )
    yield built(
        "permissions-read-behind",
        "permissions-superseded",
        "The record's author had read line 3, it stands at line 5.",
        permit(read=3),
    )
    yield built(
        "permissions-by-writer",
        "letter-missing",
        "Bob gives dora r.",
        lambda world: world.branch.permit(
            [Grant(world.alice, "rws"), Grant(world.bob, "rw"), Grant(world.carol, "r"), Grant(world.dora, "r")],
            world.bob,
        ),
    )
    yield built(
        "permissions-owner-changed",
        "owner-changed",
        "Bob as owner.",
        permit(
            ("alice", "rws"),
            ("bob", "rws"),
            ("carol", "r"),
            edit=lambda record: setattr(record, "owner", signed_up("bob").user),
        ),
    )
    yield built(
        "permissions-signature-bad",
        "signature-bad",
        "Bob's device signs in alice's name.",
        lambda world: permit(key=world.bob.device.key)(world),
    )


def inbox():
    def built(name, expect, comment, *, steps=lambda world, inbox: None, anyone="WB", **options):
        world = World(nodes=False)
        bob = world.bob = signed_up("bob", anyone=anyone)
        inbox = bob.trunks["inbox"]
        steps(world, inbox)
        parts = sections(invitation(world), Stream("metadata"))
        edit = options.pop("change", None)
        send(
            inbox,
            options.pop("sender", lambda world: world.alice)(world),
            bob,
            parts,
            "message",
            edit=edit and edit(world),
            **{key: value(world, inbox) if callable(value) else value for key, value in options.items()},
        )
        world.branch = inbox
        return case(name, expect, comment, world)

    def rooted(world, inbox):
        inbox.put(inbox.root)

    def with_node(world, inbox):
        rooted(world, inbox)
        world.folder = inbox.node("folder")
        inbox.put(world.folder)

    yield built("good-message", "ok", "A stranger puts a message into an inbox.")
    yield built(
        "good-message-expires",
        "ok",
        "It says when its contents go.",
        change=lambda world: setting("expires", 1_790_000_000_000),
    )
    yield built("good-message-beside-root", "ok", "The same after the owner put the inbox's root.", steps=rooted)
    yield built(
        "good-message-by-owner", "ok", "The owner, who holds w, writes to himself.", sender=lambda world: world.bob
    )
    wrong = "message-wrong"
    yield built(
        "message-to-another",
        wrong,
        "The recipient is not the inbox's owner.",
        change=lambda world: setting("recipient", world.carol.user),
    )
    yield built(
        "message-generation-wrong",
        wrong,
        "Another generation than the pinned one.",
        change=lambda world: setting("recipient_generation", 2),
    )
    yield built("message-read-line", wrong, "The sender claims to have read a line.", read=1)
    yield built(
        "message-below-folder",
        wrong,
        "The parent is not the inbox's root.",
        steps=with_node,
        change=lambda world: setting("parent", world.folder.cloud_id),
    )
    yield built(
        "message-without-letter", "letter-missing", "An inbox in which anyone may burn, but not write.", anyone="B"
    )
    yield built(
        "message-without-recipient",
        "letter-missing",
        "A stranger's header without a recipient is no message.",
        change=lambda world: lambda header: (
            header.ClearField("recipient"),
            header.ClearField("recipient_generation"),
            setting("wrapped_key", Stream("wrapped").take(72))(header),
        ),
    )
    yield built(
        "message-signature-bad",
        "signature-bad",
        "Carol's device signs in alice's name.",
        key=lambda world, inbox: world.carol.device.key,
    )
    yield built(
        "message-device-unknown",
        "device-unknown",
        "A device that is not in the sender's keyring.",
        device=lambda world, inbox: world.carol.device,
    )
    yield built(
        "message-for-another-inbox",
        "branch-mismatch",
        "A message that names another inbox.",
        change=lambda world: setting("branch", world.carol.trunks["inbox"].id),
    )
    yield built(
        "message-permissions-unknown",
        "permissions-unknown",
        "No record has this hash.",
        change=lambda world: setting("permissions", flip),
    )
    yield changed_message()


def changed_message():
    world = World(nodes=False)
    inbox = world.bob.trunks["inbox"]
    parts = sections(invitation(world), Stream("metadata"))
    first, _ = send(inbox, world.alice, world.bob, parts, "message")
    header = records.NodeHeader.FromString(first.body)
    header.version, header.previous = 2, record_hash(first)
    inbox.append(1, header.cloud_id, sign(world.alice.device.key, "node-header", encode(header)), inbox.contents[2])
    world.branch = inbox
    return case("message-changed", "message-wrong", "A message cannot be written twice.", world)
