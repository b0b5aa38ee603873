"""box: the branch key for somebody who may read, §3.1."""

from ..people import World
from ..primitives import Stream, box_public, branch_box, flip, seal_box


def cases():
    world = World(nodes=False)
    key, branch, random = world.branch.keys[1], world.branch.id, Stream("boxes")
    other = random.take(32)

    def case(name, expect, comment, sealed, person=world.carol, epoch=1):
        secret = person.user_keys[-1]
        return "box", name, expect, comment, {
            "branch_key": key.hex(),
            "branch": branch.hex(),
            "epoch": epoch,
            "user": person.user.hex(),
            "user_public_key": box_public(secret).hex(),
            "user_secret_key": secret.hex(),
            "sealed": sealed.hex(),
        }

    def made(person=world.carol, epoch=1, *, secret=key, of=branch, public=None, user=None):
        return branch_box(secret, of, epoch, user or person.user, public or box_public(person.user_keys[-1]))

    def bad(name, comment, sealed):
        return case(name, "key-mismatch", comment, sealed)

    public = box_public(world.carol.user_keys[-1])
    for person in (world.alice, world.bob, world.carol):
        yield case(f"good-{person.name}", "ok", "Whoever has the key makes the very same box.", made(person), person)
    yield case("good-later-epoch", "ok", "Another epoch has another box.", made(epoch=2**40), epoch=2**40)
    yield bad("noise", "Bytes that nobody opens.", random.take(80))
    yield bad("another-key", "A box that opens, with another key in it.", made(secret=other))
    yield bad("drawn-ephemeral-key", "The right key, in a box that nobody can make again.", seal_box(public, key, random))
    yield bad("of-another-user", "Bob's box.", made(world.bob))
    yield bad("for-another-users-key", "Made for carol, and sealed to bob.", made(public=box_public(world.bob.user_keys[-1])))
    yield bad("in-anothers-name", "Made for bob, and sealed to carol.", made(user=world.bob.user))
    yield bad("of-another-epoch", "Epoch 2.", made(epoch=2))
    yield bad("of-another-branch", "The same key in another branch.", made(of=flip(branch)))
    yield bad("flipped", "One bit changed.", flip(made()))
    yield bad("too-short", "79 bytes.", made()[:-1])
