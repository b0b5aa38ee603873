"""docs/spec/03-permissions.md and 04-branch-log.md: a branch with its permissions chain and its lines."""

from .nodes import Node, build_header
from .primitives import D, H, K, ZERO, Stream, box_public, branch_box, record_hash, record_hex, seal, sign, u8, u64
from .schema import encode, records

LETTERS = {"r": 1, "w": 2, "s": 4, "R": 8, "L": 16, "U": 32, "W": 64, "B": 128}
HEADER, TOMBSTONE, PERMISSIONS = 1, 2, 3


def letters(text: str) -> int:
    return sum(LETTERS[letter] for letter in text)


class Grant:
    """What one entry of a permissions record gives; None is anyone."""

    def __init__(self, person, text: str, position=None):
        self.person, self.text, self.position = person, text, position


class Branch:
    """Verbs append one line each. `edit` changes a record before it is signed."""

    def __init__(self, branch: bytes, owner, seed: str):
        self.id, self.owner, self.random = branch, owner, Stream(seed)
        self.lines, self.hashes = [], [H(D("log"), branch)]
        self.records, self.contents, self.ciphertexts = {}, {}, {}
        self.keys = {1: self.random.take(32)}
        self.epoch, self.permissions, self.grants = 1, [], []
        self.root = Node(self, branch, None, "")

    def author(self, person, device, position=None, read=None):
        read = len(self.lines) if read is None else read
        return records.Author(
            user=person.user,
            device=device.id,
            keyring_position=position or person.position,
            read_line=read,
            read_hash=self.hashes[read],
        )

    def append(self, kind: int, cloud_id: bytes, record, contents=()):
        number = len(self.lines) + 1
        line = u64(number) + u8(kind) + cloud_id + record_hash(record)
        self.lines.append(line)
        self.hashes.append(H(D("line"), self.hashes[-1] + line))
        self.records[number] = record
        self.contents[number] = list(contents)
        return number

    def commitment(self, epoch: int) -> bytes:
        return H(D("branch-key"), self.id + u64(epoch) + self.keys[epoch])

    def entry(self, grant: Grant):
        entry = records.PermissionsEntry(letters=letters(grant.text))
        if grant.person:
            entry.user = grant.person.user
            entry.keyring_position = grant.position or grant.person.position
            entry.generation = grant.person.generation(entry.keyring_position)
            if "r" in grant.text:
                public = box_public(grant.person.user_keys[entry.generation - 1])
                entry.sealed_key = branch_box(self.keys[self.epoch], self.id, self.epoch, entry.user, public)
        return entry

    def older(self, epochs):
        key = K(self.keys[self.epoch], D("older-branch-key"))
        return [
            records.OlderKey(
                epoch=e, sealed=seal(key, "older-branch-key", self.id + u64(e), self.keys[e], self.random.take(24))
            )
            for e in epochs
        ]

    def permit(
        self,
        grants=None,
        by=None,
        device=None,
        *,
        new_epoch=False,
        older=None,
        position=None,
        read=None,
        key=None,
        domain="permissions",
        edit=None,
    ):
        by = by or self.owner
        device = device or by.device
        self.grants = grants or self.grants
        if new_epoch:
            self.epoch += 1
            self.keys[self.epoch] = self.random.take(32)
        last = self.permissions[-1] if self.permissions else None
        kept = last and not new_epoch
        record = records.PermissionsRecord(
            suite=1,
            branch=self.id,
            owner=self.owner.user,
            version=len(self.permissions) + 1,
            previous=record_hash(last[1]) if last else ZERO,
            epoch=self.epoch,
            branch_key_commitment=self.commitment(self.epoch),
            older_keys=last[0].older_keys if kept else self.older(older or range(max(1, self.epoch - 1), self.epoch)),
            author=self.author(by, device, position, read),
        )
        ordered = sorted(self.grants, key=lambda grant: grant.person.user if grant.person else b"")
        record.entries.extend(self.entry(grant) for grant in ordered)
        if edit:
            edit(record)
        signed = sign(key or device.key, domain, encode(record))
        self.permissions.append((record, signed))
        return self.append(PERMISSIONS, self.id, signed)

    def node(self, name: str, parent=None, data: bytes = b"") -> Node:
        return Node(self, self.random.take(16), parent or self.root, name, data)

    def put(
        self,
        node,
        by=None,
        device=None,
        *,
        key=None,
        domain="node-header",
        edit=None,
        body=None,
        seal_sections=(),
        tamper=None,
        **options,
    ):
        by = by or self.owner
        device = device or by.device
        header, contents = build_header(self, node, by, device, seal_sections, **options)
        # A row comes with every content that its header lists, also those carried over from the version before.
        self.ciphertexts.update(contents)
        contents = [(item.content, self.ciphertexts[item.content]) for item in header.contents
                    if item.content in self.ciphertexts]
        if edit:
            edit(header)
        signed = sign(key or device.key, domain, body(header) if body else encode(header))
        if tamper:
            tamper(header)
            signed.body = encode(header)
        node.took(header, record_hash(signed))
        return self.append(HEADER, node.cloud_id, signed, contents)

    def delete(self, node, by=None, device=None, *, position=None, read=None, key=None, domain="tombstone", edit=None):
        by = by or self.owner
        device = device or by.device
        tombstone = records.Tombstone(
            suite=1,
            branch=self.id,
            cloud_id=node.cloud_id,
            version=node.version + 1,
            previous=node.previous,
            permissions=record_hash(self.permissions[-1][1]),
            epoch=self.epoch,
            author=self.author(by, device, position, read),
            operation=self.random.take(16),
            revived=node.revived,
        )
        if edit:
            edit(tombstone)
        signed = sign(key or device.key, domain, encode(tombstone))
        node.died(record_hash(signed))
        return self.append(TOMBSTONE, node.cloud_id, signed)

    def rows(self, omit=()):
        return [
            {
                "line": number,
                "record": record_hex(record),
                "contents": [
                    {"content": content.hex(), "ciphertext": ciphertext.hex()}
                    for content, ciphertext in self.contents[number]
                ],
            }
            for number, record in self.records.items()
            if number not in omit
        ]

    def superseded(self):
        """The lines of headers and tombstones that are not their node's last: the server has dropped their rows."""
        last = {line[9:25]: number for number, line in enumerate(self.lines, 1) if line[8] != PERMISSIONS}
        return {
            number for number, line in enumerate(self.lines, 1) if line[8] != PERMISSIONS and last[line[9:25]] != number
        }

    def page(self, people, omit=()):
        return {
            "branch": self.id.hex(),
            "first": record_hash(self.records[1]).hex(),
            "keyrings": keyrings(people),
            "lines": b"".join(self.lines).hex(),
            "rows": self.rows(omit),
            "head_line": len(self.lines),
            "head_hash": self.hashes[-1].hex(),
        }


def keyrings(people):
    return {person.user.hex(): [record_hex(entry) for entry in person.entries] for person in people}
