"""docs/spec/03-permissions.md §3.6 and 05-nodes.md §5.6, burning: what letters let their holders put and delete."""

from ..primitives import own_node_id, record_hash
from ..schema import records
from . import counters, parse
from .permissions import BURN, LEAVES, OWN, RECORDS, SEND, W


def may_put(header, own: int, anyone: int) -> bool:
    return put_by(own, header, by_name=True) or put_by(anyone, header, by_name=False)


def put_by(letters: int, header, by_name: bool) -> bool:
    """by_name: an entry of the author's own; under anyone's only messages are put."""
    if letters & RECORDS and [c for c in header.contents if c.section != 1]:
        return False
    if letters & LEAVES and header.parent != header.branch:
        return False
    theirs = header.cloud_id == own_node_id(header.branch, header.author.user)
    if letters & OWN and theirs and header.parent == header.branch and (by_name or header.recipient):
        return True
    if header.recipient:
        return bool(letters & SEND)
    if not by_name:
        return False
    return bool(letters & W) or bool(letters & SEND and header.version == 1 and header.parent)


def may_delete(tombstone, owner: bytes, own: int, anyone: int) -> bool:
    author = tombstone.author.user
    if tombstone.cloud_id == tombstone.branch and author != owner:
        return False
    if own & W:
        return True
    header = parse(records.NodeHeader, tombstone.burned.body) if tombstone.HasField("burned") else None
    return bool((own | anyone) & BURN and header is not None and header.author.user == author)


def burn_shape(tombstone) -> list:
    if not tombstone.HasField("burned"):
        return []
    header = parse(records.NodeHeader, tombstone.burned.body)
    fits = (
        header is not None
        and not counters(header.version, header.epoch, header.revived, header.author.read_line)
        and record_hash(tombstone.burned) == tombstone.previous
        and (header.branch, header.cloud_id) == (tombstone.branch, tombstone.cloud_id)
        and tombstone.cloud_id != tombstone.branch
        and not tombstone.HasField("moved")
    )
    return [] if fits else ["malformed"]
