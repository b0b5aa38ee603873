"""Counters at their end (§1.7), in each record that has one."""

from ..permissions import setting
from ..primitives import record_hash, sign
from ..schema import encode, records
from .branches import add, built, delete, edit_milk
from .letters import burn, latest
from .permissions import built as permitted
from .permissions import permit

# The first that is too large, and the largest that a signed and an unsigned number hold.
ENDS = {"just-above": 2**53 + 1, "signed": 2**63 - 1, "largest": 2**64 - 1}
WRONG = "malformed"


def cases():
    for field in ("version", "epoch", "revived", "author.read_line"):
        for name, value in ENDS.items():
            case = f"counter-{{}}-{field.split('.')[-1].replace('_', '-')}-{name}"
            edit = setting(field, value)
            yield built(case.format("header"), WRONG, f"A header's {field}.", edit_milk(edit=edit))
            yield built(case.format("tombstone"), WRONG, f"A tombstone's {field}.", delete(edit=edit))
            if field != "revived":
                yield permitted(case.format("permissions"), WRONG, f"A record's {field}.", permit(edit=edit))
    older = permit(new_epoch=True, edit=lambda record: setattr(record.older_keys[0], "epoch", 2**64 - 1))
    yield permitted("counter-older-epoch-largest", WRONG, "The epoch of an older key.", older)
    yield built(
        "counter-burned-version-largest", WRONG, "The header that is burned has a version without a next one.",
        add("butter", "bob"), burn("butter", "bob", header=ended),
    )


def ended(world):
    """Bob's header as it was, with the largest version, and signed again."""
    header = records.NodeHeader.FromString(latest(world.branch, world.butter).body)
    header.version = 2**64 - 1
    signed = sign(world.bob.device.key, "node-header", encode(header))
    world.butter.previous = record_hash(signed)
    return signed
