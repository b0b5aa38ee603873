"""docs/spec/03-permissions.md §3.5: whether a record may name another owner than the one before."""

from ..primitives import TRUNKS, trunk_id
from ..schema import records
from . import lengths, parse
from .signers import pinned_for, signer_reasons


def owner_reasons(log, message, before):
    changes = message.owner != before.owner
    if not message.HasField("transfer"):
        return ["owner-changed"] if changes else []
    record = message.transfer
    transfer = parse(records.OwnershipTransfer, record.body)
    if transfer is None or len(record.signature) != 64:
        return ["malformed"]
    if transfer.suite != 1:
        return ["suite-unknown"]
    wrong = shape(transfer)
    if wrong:
        return wrong
    fits = (
        changes
        and message.author.user == before.owner
        and message.branch not in [trunk_id(before.owner, name) for name in TRUNKS]
        and (transfer.branch, transfer.owner) == (message.branch, before.owner)
        and transfer.successor == message.owner
        and 0 < message.created <= transfer.expires
    )
    user, device, position = transfer.successor, transfer.device, transfer.keyring_position
    reasons = [] if fits else ["owner-changed"]
    pinned = pinned_for(before, user)
    return reasons + signer_reasons(log, record, "ownership-transfer", user, device, position, pinned)


def shape(transfer):
    return lengths(
        (transfer.branch, [16]),
        (transfer.owner, [20]),
        (transfer.successor, [20]),
        (transfer.device, [16]),
    )
