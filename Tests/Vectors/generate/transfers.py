"""docs/spec/03-permissions.md §3.5: a successor's word, and the record that gives a branch away."""

from .primitives import sign
from .schema import encode, records

GIVEN = 1_750_000_600_000
EXPIRES = GIVEN + 14 * 86_400_000


def accepted(
    branch,
    successor,
    device=None,
    *,
    position=None,
    key=None,
    domain="ownership-transfer",
    edit=None,
    body=None,
):
    """The successor's word that they take the branch over from whose it is. `edit` changes it before it is signed."""
    device = device or successor.device
    transfer = records.OwnershipTransfer(
        suite=1,
        branch=branch.id,
        owner=branch.owner.user,
        successor=successor.user,
        expires=EXPIRES,
        device=device.id,
        keyring_position=position or successor.position,
    )
    if edit:
        edit(transfer)
    return sign(key or device.key, domain, body(transfer) if body else encode(transfer))


def giving(owner, word, created=GIVEN):
    """Makes a permissions record one that names this owner and carries the word."""

    def edit(record):
        record.owner, record.created = owner.user, created
        record.transfer.SetInParent()
        record.transfer.CopyFrom(word)

    return edit


def hand_over(branch, successor, grants, by=None, *, word=None, created=GIVEN, **options):
    """The line with which a branch changes hands."""
    word = word or accepted(branch, successor)
    branch.permit(grants, by, edit=giving(successor, word, created), **options)
    branch.owner = successor
