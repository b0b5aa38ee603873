"""Little that is asked, and much that one statement of the database looks through."""

import collections
import os

from flood import Through
from generate.files import File
from forging import D, H, Branch, Grant, content, delete, encode, node, permit, put
from forging import record_hash, records, requests, signed, signed_up, tombstone
from sending import head, words


def same_content(flood):
    """One content in 20,000 places of one list; then 500 nodes with it in another list."""
    flood.open()
    who = flood.mallory
    many, few = sorted([flood.list_of(who, "Many"), flood.list_of(who, "Few")], key=lambda branch: branch.id)
    name = os.urandom(16)
    hashed = H(D("content-hash"), b"x")
    references = [
        records.ContentReference(content=name, section=section, device=who.device.id, length=1, hash=hashed)
        for section in (1, 2, 3, 4)
    ]

    def nodes(branch):
        return [put(signed(node(branch, who, branch.id, contents=references), who), [(name, b"x")]) for _ in range(500)]

    for _ in range(10):
        _accepted(flood, nodes(many))
    with flood.meanwhile():
        flood.saw(*flood.attacker.batch(nodes(few)))


def same_file(flood):
    """One small file in 10,000 nodes of one list; then 500 nodes with new contents there."""
    flood.open()
    who = flood.mallory
    branch = flood.list_of(who, "Pictures")
    _fill_with_file(flood, branch, branch.id, 20)

    def one():
        made = [content(who, 1, section) for section in (1, 2, 3, 4)]
        header = node(branch, who, branch.id, contents=[reference for reference, _ in made])
        return put(signed(header, who), [data for _, data in made])

    with flood.meanwhile():
        flood.saw(*flood.attacker.batch([one() for _ in range(500)]))


def deleted_files(flood):
    """One small file in 3,000 nodes below a node, which is deleted."""
    flood.open()
    who = flood.mallory
    branch = flood.list_of(who, "Pictures")
    top = node(branch, who, branch.id)
    above = signed(top, who)
    _accepted(flood, [put(above)])
    last = _fill_with_file(flood, branch, top.cloud_id, 6)
    with flood.meanwhile():
        gone = tombstone(branch, who, top.cloud_id, record_hash(above), last)
        flood.saw(*flood.attacker.batch([delete(signed(gone, who))]))
    flood.only("accepted")


def permits_of_a_stranger(flood):
    """500 permits, on a list whose last 130 permissions records are long, by somebody who is not on it."""
    flood.open()
    branch = Branch(os.urandom(16), flood.mallory, "Long")
    branch.permit([Grant(flood.mallory, "rws")])
    for _ in range(900):
        branch.permit(new_epoch=True, older=[branch.epoch])

    def long(record):
        del record.older_keys[:]
        for epoch in range(1, record.epoch):
            record.older_keys.add(epoch=epoch, sealed=bytes(72))

    branch.permit(new_epoch=True, edit=long)
    for _ in range(130):
        branch.permit()
    waiting = [permit(branch.records[number]) for number in range(1, len(branch.lines) + 1)]
    while waiting:
        some = []
        while waiting and len(some) < 400 and sum(map(_size, some)) + _size(waiting[0]) < 1000 * 1024:
            some.append(waiting.pop(0))
        _accepted(flood, some)
    eve = flood.bob

    def one():
        author = records.Author(
            user=eve.user, device=eve.device.id, keyring_position=4, read_line=0, read_hash=bytes(32))
        record = records.PermissionsRecord(
            suite=1, branch=branch.id, owner=flood.mallory.user, version=2, previous=os.urandom(32), epoch=1,
            branch_key_commitment=os.urandom(32), author=author)
        record.entries.add(user=eve.user, letters=1, keyring_position=4, generation=1, sealed_key=bytes(80))
        return permit(records.SignedRecord(body=encode(record), signature=bytes(64)))

    with flood.meanwhile():
        flood.saw(*flood.sender(eve).batch([one() for _ in range(500)]))


def chain_of_devices(flood):
    """Four accounts whose 440 devices have each added the next, and are ended from the last upwards."""
    from generate.identity import Device

    flood.open()
    accounts = [signed_up(f"mallory{number}") for number in range(4)]
    plans = []
    for person in accounts:
        flood.join(person)
        device, chain = person.device, []
        for number in range(440):
            new = Device(f"{person.name} {number}")
            person.add_device(new, device, with_key=False)
            device = new
            chain.append(new)
        for ended in reversed(chain):
            person.append("revoke_device", records.RevokeDevice(device=ended.id, since=1))
        plans.append(requests.KeyringAppend(user=person.user, entries=person.entries[4:900]))

    def send(number):
        sender = flood.sender(accounts[number], key=accounts[number].root_key)
        return [sender.send("/v1/keyrings/append", plans[number]).word for _ in range(2)]

    with flood.meanwhile():
        flood.at_once(len(accounts), send)
    flood.only("400 limit-exceeded", "429 too-many")


def _size(operation) -> int:
    return len(operation.permit.permissions.body)


def _accepted(flood, operations):
    answer = flood.attacker.send("/v1/batch", requests.Batch(operations=operations))
    found = collections.Counter(words(answer))
    if set(found) != {"accepted"}:
        raise Through(f"what was to be there first is {found}")
    return head(answer)


def _fill_with_file(flood, branch, parent: bytes, batches: int):
    """Lists one file in 500 nodes a batch. Returns the head of the log."""
    who = flood.mallory
    file = File(os.urandom(32), os.urandom(16), (10, 0, 100))
    reference = file.reference(who.device.id)
    layout = reference.file
    query = f"length={reference.length}&metadata={layout.metadata}&thumbnail={layout.thumbnail}"
    flood.attacker.send(f"/v1/files/{file.content.hex()}/0", file.bytes, method="PUT", query=query)
    last = None
    for _ in range(batches):
        last = _accepted(
            flood, [put(signed(node(branch, who, parent, contents=[reference]), who)) for _ in range(500)])
    return last
