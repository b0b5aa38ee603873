"""More than a quota, in what is not a file."""

import os

from flood import Through
from forging import Branch, Grant, content, message, node, permit, put, signed

QUOTA = 1024 * 1024
LINE = 256  # what a line counts with


def contents(flood):
    """2.4 MB of contents with `--quota 1M`."""
    flood.open("--quota", "1M")
    branch = flood.list_of(flood.mallory, "Attic")
    kept = 0
    with flood.meanwhile():
        for _ in range(8):
            some = [_filled(branch, flood.mallory, 60_000) for _ in range(5)]
            kept += _send(flood, some)
    _within(kept, QUOTA * 9 // 8)
    flood.only("accepted", "refused quota-exceeded")


def headers(flood):
    """Nodes without contents until a quota of 1 MiB is full, with `--quota 1M`."""
    flood.open("--quota", "1M")
    branch = flood.list_of(flood.mallory, "Attic")

    def some():
        return [put(signed(node(branch, flood.mallory, branch.id), flood.mallory)) for _ in range(400)]

    _fill(flood, 8, some, QUOTA * 9 // 8)


def letters(flood):
    """100 messages to bob with contents of 60 KB each, with `--quota 1M`."""
    flood.open("--quota", "1M")

    def one():
        reference, data = content(flood.mallory, 60_000)
        return put(signed(message(flood.bob, flood.mallory, contents=[reference]), flood.mallory), [data])

    _fill(flood, 10, lambda: [one() for _ in range(10)], QUOTA * 9 // 8)


def lists(flood):
    """New lists until a quota of 1 MiB is full, with `--quota 1M`: their permissions records."""
    flood.open("--quota", "1M")

    def one():
        branch = Branch(os.urandom(16), flood.mallory, os.urandom(8).hex())
        branch.permit([Grant(flood.mallory, "rws"), Grant(flood.bob, "r"), Grant(None, "W")])
        return permit(branch.records[1])

    _fill(flood, 20, lambda: [one() for _ in range(100)], QUOTA * 5 // 4)


def _fill(flood, rounds: int, some, most: int):
    """Sends as many batches, each of what `some` makes; of their bytes at most so many may be kept."""
    with flood.meanwhile():
        kept = sum(_send(flood, some()) for _ in range(rounds))
    _within(kept, most)
    flood.only("accepted", "refused quota-exceeded")


def _filled(branch, person, size: int):
    reference, data = content(person, size)
    return put(signed(node(branch, person, branch.id, contents=[reference]), person), [data])


def _send(flood, operations) -> int:
    """What of these is kept then, in bytes."""
    found = flood.attacker.batch(operations)
    flood.saw(*found)
    if len(found) != len(operations):
        return 0
    return sum(LINE + _bytes(operation) for operation, word in zip(operations, found) if word == "accepted")


def _bytes(operation) -> int:
    """Of the record, and of the contents."""
    if operation.HasField("permit"):
        return operation.permit.permissions.ByteSize()
    return operation.put.header.ByteSize() + sum(len(item.ciphertext) for item in operation.put.contents)


def _within(kept: int, most: int):
    if kept > most:
        raise Through(f"{kept} bytes were kept, and {most} may be")
