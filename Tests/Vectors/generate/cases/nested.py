"""permissions: the first record of a branch that is nested in alice's list (§3.8)."""

from ..log import Branch, Grant
from ..people import World
from ..permissions import closing, setting
from ..primitives import Stream, flip, record_hash, record_hex
from .permissions import case

WRONG = "first-record-wrong"


def cases():
    yield nested("good-nested-by-owner", "ok", "Alice nests a branch.", by="alice")
    yield nested("good-nested-by-admin", "ok", "Bob, who holds s, nests one; it is alice's.")
    yield nested("good-nested-unknown-outer", "ok", "A reader who does not have the branch around it.", outer=False)
    yield nested("good-nested-older-record", "ok", "The branch around it has moved on since.", later=True)
    yield nested("nested-by-writer", WRONG, "Carol holds r and w there.", by="carol")
    yield nested("nested-by-stranger", WRONG, "Dora has no letter there.", by="dora")
    yield nested("nested-for-oneself", WRONG, "Bob makes himself the owner.", owner="bob")
    yield nested("nested-other-owner-named", WRONG, "It names bob as the owner there.", edit=lambda w: setting("enclosing.owner", w.bob.user))
    yield nested("nested-unknown-record", WRONG, "It names a record that the branch never had.", edit=lambda w: setting("enclosing.permissions", flip))
    yield nested("nested-version-wrong", WRONG, "It names another version.", edit=lambda w: setting("enclosing.permissions_version", 2))
    yield nested("nested-in-another", WRONG, "It names another branch.", edit=lambda w: setting("enclosing.branch", flip))
    yield nested("nested-in-closed", WRONG, "The branch around it was closed.", closed=True)
    yield from elsewhere()


def elsewhere():
    """A later record says that the branch is nested in another one from then on."""
    yield later("good-nested-elsewhere", "ok", "Alice nests it in another list of hers.")
    yield later("good-nested-elsewhere-by-admin", "ok", "Bob holds s in both.", by="bob")
    yield later("good-nested-afterwards", "ok", "It was nested nowhere before.", first=False)
    yield later("good-nested-elsewhere-unknown", "ok", "A reader who does not have the branch around it.", outer=False)
    yield later("nested-elsewhere-by-writer-there", "letter-missing", "Carol holds s here, and r and w there.", by="carol")
    yield later("nested-elsewhere-by-writer-here", "letter-missing", "Dora holds r and w here, and s there.", by="dora")
    yield later("nested-elsewhere-other-owner", "owner-changed", "It names bob as the owner there.", edit=lambda w: setting("enclosing.owner", w.bob.user))
    yield later("nested-elsewhere-of-another-owner", "owner-changed", "The branch around it is bob's.", there="bob")
    yield later("nested-elsewhere-unknown-record", "permissions-unknown", "It names a record that the branch never had.", edit=lambda w: setting("enclosing.permissions", flip))
    yield later("nested-elsewhere-version-wrong", "permissions-unknown", "It names another version.", edit=lambda w: setting("enclosing.permissions_version", 3))
    yield later("nested-elsewhere-in-closed", "permissions-unknown", "The branch around it was closed.", closed=True)
    yield later("nested-elsewhere-in-itself", "malformed", "It names itself.", edit=lambda w: setting("enclosing.branch", Stream("nested id").take(16)))


def enclosing(around, number=-1):
    record, signed = around.permissions[number]

    def edit(message):
        message.enclosing.branch = around.id
        message.enclosing.permissions_version = record.version
        message.enclosing.permissions = record_hash(signed)
        message.enclosing.owner = message.owner

    return edit


def later(name, expect, comment, *, by="alice", first=True, outer=True, closed=False, there="alice", edit=None):
    world = World(nodes=False, grants={"alice": "rws", "bob": "rws", "carol": "rws", "dora": "rw"})
    there = Branch(Stream("other id").take(16), getattr(world, there), "other branch")
    there.permit([Grant(world.alice, "rws"), Grant(world.bob, "rws"), Grant(world.carol, "rw"), Grant(world.dora, "rws")])
    if closed:
        closing(there, world.alice)
    branch = Branch(Stream("nested id").take(16), world.alice, "nested branch")
    grants = [Grant(world.alice, "rws"), Grant(world.bob, "rws"), Grant(world.carol, "rws"), Grant(world.dora, "rw")]
    branch.permit(grants, world.alice, edit=enclosing(world.branch) if first else None)

    def moved(message):
        enclosing(there)(message)
        if edit:
            edit(world)(message)

    branch.permit(None, getattr(world, by), edit=moved)
    kind, name, expect, comment, fields = case(name, expect, comment, branch, world.people)
    if outer:
        fields["outer"] = [record_hex(signed) for _, signed in world.branch.permissions + there.permissions]
    return kind, name, expect, comment, fields


def nested(name, expect, comment, *, by="bob", owner="alice", edit=None, outer=True, later=False, closed=False):
    world = World(nodes=False, grants={"alice": "rws", "bob": "rws", "carol": "rw"})
    around = world.branch
    if closed:
        closing(around, world.alice)
    record, signed = around.permissions[-1]
    if later:
        around.permit([Grant(world.alice, "rws"), Grant(world.carol, "rw")], new_epoch=True)
    branch = Branch(Stream("nested id").take(16), getattr(world, owner), "nested branch")

    def enclosed(first):
        first.enclosing.branch = around.id
        first.enclosing.permissions_version = record.version
        first.enclosing.permissions = record_hash(signed)
        first.enclosing.owner = first.owner
        if edit:
            edit(world)(first)

    branch.permit([Grant(world.alice, "rws"), Grant(world.bob, "rws")], getattr(world, by), edit=enclosed)
    kind, name, expect, comment, fields = case(name, expect, comment, branch, world.people)
    if outer:
        fields["outer"] = [record_hex(signed) for _, signed in around.permissions]
    return kind, name, expect, comment, fields
