"""Batches that make the server look at much for little."""

import collections
import os
import time

from flood import Through
from forging import delete, node, put, record_hash, records, requests, signed, tombstone
from sending import head, words

BATCH = 500
NODES = 5000


def refused_deletions(flood):
    """A deletion of 5,000 nodes whose author has read only the first lines, 500 times in one batch, five batches
    on end."""
    flood.open()
    branch, top, read = _crowd(flood)
    bodies = [
        [delete(signed(tombstone(branch, flood.mallory, *top, read), flood.mallory)) for _ in range(BATCH)]
        for _ in range(5)
    ]
    with flood.meanwhile():
        for body in bodies:
            flood.saw(*flood.attacker.batch(body))
    flood.only("conflict unseen-children", "429 too-many")


def deletion(flood):
    """A deletion of 5,000 nodes that is good."""
    flood.open()
    branch, top, _ = _crowd(flood)
    good = delete(signed(tombstone(branch, flood.mallory, *top, flood.last), flood.mallory))
    with flood.meanwhile():
        flood.saw(*flood.attacker.batch([good]))
    flood.only("accepted", "429 too-many")


def same_operation(flood):
    """The same operation 500 times in one batch: a refused deletion, and a put."""
    flood.open()
    branch, top, read = _crowd(flood)
    gone = delete(signed(tombstone(branch, flood.mallory, *top, read), flood.mallory))
    new = put(signed(node(branch, flood.mallory, branch.id), flood.mallory))
    with flood.meanwhile():
        for operation in (gone, new):
            flood.saw(*flood.attacker.batch([operation] * BATCH))
    flood.only("400 malformed")


def deepest_batch(flood):
    """500 nodes at the 64th level in one batch; each looks at all that is above it."""
    _deepest(flood, 1)


def deepest_batches(flood):
    """The same from four connections at once."""
    _deepest(flood, 4)


def deep_chains(flood):
    """The same in one batch, five below each of 100 chains of nodes."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Chains")
    ends = [branch.id] * 100
    for _ in range(63):
        level = [node(branch, flood.mallory, parent) for parent in ends]
        if set(found := flood.attacker.batch([put(signed(header, flood.mallory)) for header in level])) != {"accepted"}:
            raise Through(f"the depths are {found}")
        ends = [header.cloud_id for header in level]
    body = [put(signed(node(branch, flood.mallory, parent), flood.mallory)) for parent in ends for _ in range(5)]
    with flood.meanwhile():
        flood.saw(*flood.attacker.batch(body))
    flood.only("accepted", "429 too-many")


def deepest_deletions(flood):
    """500 nodes at the 64th level deleted one by one in one batch, the newest first."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Depths")
    parent, above = branch.id, []
    for _ in range(63):
        header = node(branch, flood.mallory, parent)
        above.append(put(signed(header, flood.mallory)))
        parent = header.cloud_id
    flood.attacker.batch(above)
    found = [signed(node(branch, flood.mallory, parent), flood.mallory) for _ in range(BATCH)]
    answer = flood.attacker.send("/v1/batch", requests.Batch(operations=[put(record) for record in found]))
    if set(words(answer)) != {"accepted"}:
        raise Through(f"the depths are {collections.Counter(words(answer))}")
    read = head(answer)
    deletions = []
    for record in reversed(found):
        where = records.NodeHeader.FromString(record.body).cloud_id
        deletions.append(
            delete(signed(tombstone(branch, flood.mallory, where, record_hash(record), read), flood.mallory))
        )
    with flood.meanwhile():
        flood.saw(*flood.attacker.batch(deletions))
    flood.only("accepted", "429 too-many")


def _deepest(flood, connections: int):
    flood.open()
    branch = flood.list_of(flood.mallory, "Depths")
    parent, above = branch.id, []
    for _ in range(63):
        header = node(branch, flood.mallory, parent)
        above.append(put(signed(header, flood.mallory)))
        parent = header.cloud_id
    if set(found := flood.attacker.batch(above)) != {"accepted"}:
        raise Through(f"the depths are {found}")
    bodies = [
        [put(signed(node(branch, flood.mallory, parent), flood.mallory)) for _ in range(BATCH)]
        for _ in range(connections)
    ]
    with flood.meanwhile():
        flood.at_once(connections, lambda number: flood.sender(flood.mallory).batch(bodies[number]))
    flood.only("accepted", "429 too-many", "refused limit-exceeded")


def many_batches(flood):
    """16 connections at once with a batch of 500 plain new nodes each."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Queue")
    bodies = [
        [put(signed(node(branch, flood.mallory, branch.id), flood.mallory)) for _ in range(BATCH)] for _ in range(16)
    ]
    with flood.meanwhile():
        flood.at_once(16, lambda number: flood.sender(flood.mallory).batch(bodies[number]))
    flood.only("accepted", "429 too-many")


def forged_batches(flood):
    """500 puts that are signed badly, from four connections, five times each."""
    flood.open()
    branch = flood.list_of(flood.mallory, "Forgeries")
    bodies = [[_forged(node(branch, flood.mallory, branch.id), flood.mallory) for _ in range(BATCH)] for _ in range(4)]
    with flood.meanwhile():

        def send(number):
            mine = flood.sender(flood.mallory)
            return [word for _ in range(5) for word in mine.batch(bodies[number])]

        flood.at_once(4, send)
    flood.only("refused signature-bad")


def _forged(header, person):
    record = signed(header, person)
    record.signature = os.urandom(63) + b"\0"
    return put(record)


def _crowd(flood):
    """A list with one node that has 5,000 below it. Returns the list, that node with its hash, and the line
    before the 5,000."""
    branch = flood.list_of(flood.mallory, "Crowd")
    top = node(branch, flood.mallory, branch.id)
    record = signed(top, flood.mallory)
    operations = [put(record)]
    answer = flood.attacker.send("/v1/batch", requests.Batch(operations=operations))
    read = head(answer)
    for _ in range(NODES // BATCH):
        crowd = [put(signed(node(branch, flood.mallory, top.cloud_id), flood.mallory)) for _ in range(BATCH)]
        answer = flood.attacker.send("/v1/batch", requests.Batch(operations=crowd))
        if set(words(answer)) != {"accepted"}:
            raise Through(f"the crowd is {collections.Counter(words(answer))}")
        flood.last = head(answer)
        time.sleep(0.05)
    return branch, (top.cloud_id, record_hash(record)), read
