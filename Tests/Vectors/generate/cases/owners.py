"""branch: lists that change hands (§3.5), and what the new owner and the old one may do then (§5.6)."""

from ..permissions import setting
from ..primitives import flip
from .branches import add, built, delete, edit_milk
from .transfers import WRITER, give, word


def cases():
    yield built(
        "good-handed-over",
        "ok",
        "Alice gives the list to bob; both go on writing.",
        give(),
        edit_milk("bob"),
        add("butter", "alice"),
    )
    yield built(
        "good-handed-over-new-epoch",
        "ok",
        "Alice gives the list to bob and goes.",
        give(grants=[("bob", "rws"), ("carol", "r")], new_epoch=True),
        edit_milk("bob"),
    )
    yield built("good-root-deleted-by-new-owner", "ok", "Bob deletes what is his now.", give(), delete("root", "bob"))
    yield built(
        "root-deleted-by-former-owner",
        "letter-missing",
        "Alice may write, but the branch is bob's.",
        give(),
        delete("root", "alice"),
    )
    yield built(
        "former-owner-writes",
        "letter-missing",
        "Alice, a viewer now, edits a todo.",
        give(grants=[("alice", "r"), *WRITER[1:]]),
        edit_milk("alice"),
    )
    yield built(
        "permissions-transfer-of-another-branch",
        "owner-changed",
        "What bob signed names another branch.",
        give(word=word(edit=lambda world: setting("branch", flip))),
    )
    yield built(
        "permissions-transfer-signature-bad",
        "signature-bad",
        "One bit of bob's signature changed.",
        give(word=flipped),
    )


def flipped(world):
    signed = word()(world)
    signed.signature = flip(signed.signature)
    return signed
