"""Records as somebody with a client of their own makes them, by the generator of the test vectors."""

import os

from generate.log import HEADER, Branch, Grant
from generate.people import signed_up
from generate.primitives import ZERO, D, H, record_hash, sign
from generate.schema import encode, records, requests

__all__ = [
    "Branch", "D", "Grant", "H", "HEADER", "ZERO", "encode", "record_hash", "records", "requests", "sign", "signed_up",
]


def sign_up(person, token="") -> requests.SignUp:
    trunks = [branch.records[1] for branch in person.trunks.values()]
    return requests.SignUp(keyring=person.entries[:4], permissions=trunks, token=token)


def put(record, contents=(), operation=None) -> requests.Operation:
    found = requests.Operation(operation=operation or records.NodeHeader.FromString(record.body).operation)
    found.put.header.CopyFrom(record)
    for content, ciphertext in contents:
        found.put.contents.add(content=content, ciphertext=ciphertext)
    return found


def copy(record, branch: bytes, source: bytes) -> requests.Operation:
    """A message with the contents of a node of a branch."""
    found = requests.Operation(operation=records.NodeHeader.FromString(record.body).operation)
    found.copy.header.CopyFrom(record)
    found.copy.source_branch, found.copy.source_node = branch, source
    return found


def delete(record) -> requests.Operation:
    found = requests.Operation(operation=records.Tombstone.FromString(record.body).operation)
    found.delete.tombstone.CopyFrom(record)
    return found


def permit(record) -> requests.Operation:
    found = requests.Operation(operation=os.urandom(16))
    found.permit.permissions.CopyFrom(record)
    return found


def new_list(person, name: str):
    """A list of a person's own, and what makes it: line 1 is its permissions record, line 2 its root."""
    branch = Branch(os.urandom(16), person, name)
    branch.permit([Grant(person, "rws")])
    branch.root.name = name
    branch.put(branch.root)
    return branch, [permit(branch.records[1]), put(branch.records[2], branch.contents[2])]


def author(branch, person, read=None) -> records.Author:
    """`read` is a line and its log hash; without it, all that this side knows."""
    line, hashed = read or (len(branch.lines), branch.hashes[-1])
    return records.Author(
        user=person.user, device=person.device.id, keyring_position=person.position, read_line=line, read_hash=hashed
    )


def node(branch, person, parent: bytes, **changed) -> records.NodeHeader:
    """The header of a new node without contents, sealed to nobody: the server cannot tell."""
    fields = dict(
        suite=1,
        branch=branch.id,
        cloud_id=os.urandom(16),
        parent=parent,
        name_token=os.urandom(32),
        version=1,
        previous=ZERO,
        permissions=record_hash(branch.permissions[-1][1]),
        epoch=1,
        wrapped_key=os.urandom(72),
        key_commitment=os.urandom(32),
        author=author(branch, person),
        operation=os.urandom(16),
    )
    return records.NodeHeader(**{**fields, **changed})


def message(recipient, sender, **changed) -> records.NodeHeader:
    """A message in somebody's inbox. It needs no contents."""
    inbox = recipient.trunks["inbox"]
    fields = dict(
        wrapped_key=os.urandom(80),
        recipient=recipient.user,
        recipient_generation=1,
        author=author(inbox, sender, (0, inbox.hashes[0])),
    )
    return node(inbox, sender, inbox.id, **{**fields, **changed})


def tombstone(branch, person, cloud_id: bytes, previous: bytes, read=None, **changed) -> records.Tombstone:
    fields = dict(
        suite=1,
        branch=branch.id,
        cloud_id=cloud_id,
        version=2,
        previous=previous,
        permissions=record_hash(branch.permissions[-1][1]),
        epoch=1,
        author=author(branch, person, read),
        operation=os.urandom(16),
    )
    return records.Tombstone(**{**fields, **changed})


def burn(recipient, sender, record) -> requests.Operation:
    """Takes a message that the sender has put back out of somebody's inbox."""
    inbox = recipient.trunks["inbox"]
    header = records.NodeHeader.FromString(record.body)
    body = tombstone(inbox, sender, header.cloud_id, record_hash(record), (0, inbox.hashes[0]), burned=record)
    return delete(signed(body, sender))


def signed(body, person) -> records.SignedRecord:
    domain = {"NodeHeader": "node-header", "Tombstone": "tombstone", "PermissionsRecord": "permissions"}
    return sign(person.device.key, domain[type(body).__name__], encode(body))


def content(person, size: int, section=2):
    """Random bytes, and the reference that lists them."""
    data, name = os.urandom(size), os.urandom(16)
    reference = records.ContentReference(
        content=name, section=section, device=person.device.id, length=size, hash=H(D("content-hash"), data)
    )
    return reference, (name, data)
