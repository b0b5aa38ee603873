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
    yield later("enclosing-in-later-record", "Alice says that it hangs in another list of hers from now on.", True)
    yield later("enclosing-after-none", "It was begun in no branch; alice says that it hangs in one from now on.", False)


def enclosing(around):
    record, signed = around.permissions[-1]

    def edit(message):
        message.enclosing.branch = around.id
        message.enclosing.permissions_version = record.version
        message.enclosing.permissions = record_hash(signed)
        message.enclosing.owner = message.owner

    return edit


def later(name, comment, is_nested):
    """Right in all but that the second record names a branch around it."""
    world = World(nodes=False, grants={"alice": "rws", "bob": "rws"})
    there = Branch(Stream("other id").take(16), world.alice, "other branch")
    there.permit([Grant(world.alice, "rws"), Grant(world.bob, "rws")])
    branch = Branch(Stream("nested id").take(16), world.alice, "nested branch")
    grants = [Grant(world.alice, "rws"), Grant(world.bob, "rws")]
    branch.permit(grants, edit=enclosing(world.branch) if is_nested else None)
    branch.permit(None, edit=enclosing(there))
    kind, name, expect, comment, fields = case(name, "malformed", comment, branch, world.people)
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
