"""docs/spec/08-messages.md: an invitation in an inbox."""

from .log import HEADER, letters
from .nodes import build_message
from .primitives import Stream, record_hash, sign
from .schema import encode, sharing, treesystem

SENT = 1_750_000_900_000


def invitation(world, sender=None, **changes) -> "sharing.Message":
    what = sharing.Invitation(
        branch=world.branch.id,
        owner=world.alice.user,
        first_permissions=record_hash(world.branch.records[1]),
        title="Grüße 🥦 ירקות",
        note="let's tackle this holiday dinner",
        letters=letters("rw"),
    )
    for field, value in changes.items():
        setattr(what, field, value)
    return sharing.Message(sender=(sender or world.alice).user, sent=SENT, invitation=what)


def sections(message, random):
    metadata = treesystem.NodeMetadata(name="invitation", name_key=random.take(32))
    return {1: encode(metadata), 2: encode(message)}


def send(inbox, sender, recipient, parts, seed, *, edit=None, key=None, domain="node-header", device=None, **options):
    """Puts one message into the inbox as its next line; returns the signed header and its contents."""
    device = device or sender.device
    header, contents = build_message(inbox, sender, device, recipient, parts, Stream(seed), **options)
    if edit:
        edit(header)
    signed = sign(key or device.key, domain, encode(header))
    inbox.append(HEADER, header.cloud_id, signed, contents)
    return signed, contents
