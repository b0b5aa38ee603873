"""permissions, branch: a branch that its owner ends (§3.7)."""

from ..log import Grant
from ..people import World, signed_up
from ..permissions import closing, entry_setting, leave, setting, without
from .branches import add, delete
from .branches import built as pull
from .permissions import ADMIN, ALL, built, case, permit


def close(by="alice", **options):
    def step(world):
        also = options.get("also")
        closing(
            world.branch,
            getattr(world, by),
            new_epoch=options.get("new_epoch", False),
            also=also(world) if also else lambda _: None,
        )

    return step


def cases():
    yield built("good-closed", "ok", "Alice ends the list.", close())
    yield built("closed-by-admin", "letter-missing", "Bob holds s, but the list is alice's.", close("bob"), grants=ADMIN)
    yield built("closed-by-writer", "letter-missing", "Bob holds w.", close("bob"))
    yield built(
        "closed-and-removed", "malformed", "Carol is removed with it.", close(new_epoch=True, also=lambda world: lambda r: without(r, world.carol))
    )
    yield built(
        "closed-and-demoted",
        "malformed",
        "Bob is given another letter with it.",
        close(also=lambda world: entry_setting(world.bob, "letters", 1)),
    )
    yield built("closed-with-new-epoch", "malformed", "It takes a new key.", close(new_epoch=True))
    yield built("closed-twice", "branch-closed", "Alice ends it again.", close(), close())
    yield built("closed-then-added", "branch-closed", "Alice adds dora afterwards.", close(), permit([*ALL, ("dora", "r")]))
    yield built("closed-then-renewed", "branch-closed", "Bob renews afterwards.", close(), permit(by="bob"))
    yield built(
        "closed-then-left", "branch-closed", "Carol leaves afterwards.", close(), lambda world: leave(world.branch, world.carol)
    )
    yield from trunks_and_firsts()
    yield pull("good-closed-list", "ok", "The list is ended with all that is on it.", close())
    yield pull("closed-then-put", "branch-closed", "Bob adds a todo afterwards.", close(), add("butter", "bob"))
    yield pull("closed-then-put-by-owner", "branch-closed", "Alice adds a todo afterwards.", close(), add("butter"))
    yield pull("closed-then-deleted", "branch-closed", "Alice deletes a todo afterwards.", close(), delete())
    yield pull("closed-then-root-deleted", "branch-closed", "Alice deletes the root afterwards.", close(), delete("root"))


def trunks_and_firsts():
    alice = signed_up("alice")
    closing(alice.trunks["home"], alice)
    yield case("closed-trunk", "letter-missing", "A trunk stays.", alice.trunks["home"], [alice])
    world = World(nodes=False)
    world.branch.__init__(world.branch.id, world.alice, "closed at once")
    world.branch.permit([Grant(world.alice, "rws")], edit=setting("closed", True))
    yield case("closed-first", "malformed", "A branch that ends where it begins.", world.branch, world.people)
