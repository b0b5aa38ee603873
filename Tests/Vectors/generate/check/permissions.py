"""docs/spec/03-permissions.md, for a record at line `number` of a log."""

from ..primitives import TRUNKS, ZERO, record_hash, trunk_id
from ..schema import encode, records
from . import counters, lengths, parse
from .signers import pinned_for, signer_reasons
from .transfers import owner_reasons

R, W, S, RECORDS, LEAVES, OWN, SEND, BURN = 1, 2, 4, 8, 16, 32, 64, 128


def letters_of(record, user: bytes) -> int:
    return sum(entry.letters for entry in record.entries if entry.user == user)


def permissions_reasons(log, record, number: int):
    message = parse(records.PermissionsRecord, record.body)
    if message is None or len(record.signature) != 64:
        return ["malformed"], None
    if message.suite != 1:
        return ["suite-unknown"], message
    last = log.permissions[-1] if log.permissions else None
    reasons = shape(message)
    if reasons:
        return reasons, message
    reasons += entries_reasons(log, message)
    reasons += author_reasons(log, message, record, last)
    if last is None:
        reasons += first_reasons(log, message, record)
    else:
        reasons += later_reasons(log, message, last)
    author = message.author
    if last and (author.read_line != number - 1 or author.read_hash != log.hashes[number - 1]):
        reasons.append("permissions-superseded")
    return list(dict.fromkeys(reasons)), message


def shape(message):
    author = message.author
    epochs = [older.epoch for older in message.older_keys]
    outer = message.enclosing.permissions_version
    return counters(message.version, message.epoch, author.read_line, outer, *epochs) or lengths(
        (message.branch, [16]),
        (message.owner, [20]),
        (message.previous, [32]),
        (message.branch_key_commitment, [32]),
        (author.user, [20]),
        (author.device, [16]),
        (author.read_hash, [32]),
        *((older.sealed, [72]) for older in message.older_keys),
    )


def entries_reasons(log, message):
    users = [entry.user for entry in message.entries]
    owned = letters_of(message, message.owner) & (R | W | S) == (R | W | S)
    if users != sorted(set(users)) or len(users) > 1000 or not owned:
        return ["malformed"]
    trunks = [trunk_id(message.owner, name) for name in TRUNKS]
    lowest = 3 if message.branch in trunks else 4
    for entry in message.entries:
        if len(entry.user) not in (0, 20) or not 0 < entry.letters < 256:
            return ["malformed"]
        if len(entry.sealed_key) != (80 if entry.letters & R else 0):
            return ["malformed"]
        if not entry.user:
            if entry.keyring_position or entry.generation or entry.letters & (R | W | S):
                return ["malformed"]
            continue
        keyring = log.keyrings[entry.user]
        if not lowest <= entry.keyring_position <= keyring.position:
            return ["pin-wrong"]
        if entry.generation != keyring.generations[entry.keyring_position]:
            return ["pin-wrong"]
    return []


def author_reasons(log, message, record, last):
    author = message.author
    pinned = pinned_for(last[1], author.user) if last else 0
    return signer_reasons(log, record, "permissions", author.user, author.device, author.keyring_position, pinned)


def first_reasons(log, message, record):
    fits = (
        message.version == 1
        and message.previous == ZERO
        and message.epoch == 1
        and not message.older_keys
        and (nests(log, message) if message.HasField("enclosing") else message.author.user == message.owner)
        and message.author.read_line == 0
        and message.author.read_hash == log.hashes[0]
        and message.branch == log.branch
        and record_hash(record) == log.first
    )
    reasons = [] if fits else ["first-record-wrong"]
    return reasons + (["malformed"] if message.HasField("transfer") or message.closed else [])


def nests(log, message) -> bool:
    """§3.8; log.outer has the records of the branch around it, by hash, or is None where the reader has none."""
    around = message.enclosing
    if around.owner != message.owner or around.branch == message.branch:
        return False
    if log.outer is None:
        return True
    named = log.outer.get(around.permissions)
    return (
        named is not None
        and named.branch == around.branch
        and named.version == around.permissions_version
        and named.owner == around.owner
        and not named.closed
        and bool(letters_of(named, message.author.user) & S)
    )


def later_reasons(log, message, last):
    before, reasons = last[1], []
    if before.closed:
        return ["branch-closed"]
    reasons += closing_reasons(message, before) + (["malformed"] if message.HasField("enclosing") else [])
    if message.version != before.version + 1 or message.previous != last[2]:
        reasons.append("permissions-superseded")
    if message.branch != before.branch:
        reasons.append("branch-mismatch")
    reasons += owner_reasons(log, message, before)
    grown = message.epoch - before.epoch
    same = [encode(k) for k in message.older_keys] == [encode(k) for k in before.older_keys]
    if grown == 0:
        right = same and message.branch_key_commitment == before.branch_key_commitment
    else:
        epochs = [0, *(k.epoch for k in message.older_keys)]
        right = grown == 1 and epochs == sorted(set(epochs)) and epochs[-1] == before.epoch
    only_leaves = leaves(message, before)
    lost = any(e.letters & R and not letters_of(message, e.user) & R for e in before.entries)
    if not right or (lost and not grown and not only_leaves):
        reasons.append("epoch-wrong")
    held = letters_of(before, message.author.user)
    allowed = held & S or (held & W and rights(message) == rights(before)) or (only_leaves and not grown)
    owner_kept = letters_of(message, before.owner) == letters_of(before, before.owner)
    if not allowed or (not owner_kept and message.author.user != before.owner):
        reasons.append("letter-missing")
    pins = {e.user: e.keyring_position for e in before.entries}
    if any(e.keyring_position < pins.get(e.user, 0) for e in message.entries):
        reasons.append("keyring-stale")
    return reasons


def closing_reasons(message, before):
    """§3.7"""
    if not message.closed:
        return []
    trunk = before.branch in [trunk_id(before.owner, name) for name in TRUNKS]
    if message.author.user != before.owner or trunk:
        return ["letter-missing"]
    same = [encode(e) for e in message.entries] == [encode(e) for e in before.entries]
    return [] if same and message.epoch == before.epoch and not message.HasField("transfer") else ["malformed"]


def rights(message):
    return [(entry.user, entry.letters) for entry in message.entries]


def leaves(message, before):
    author = message.author.user
    stayed = [encode(e) for e in before.entries if e.user != author]
    return (
        author != before.owner
        and len(stayed) == len(before.entries) - 1
        and stayed == [encode(e) for e in message.entries]
    )
