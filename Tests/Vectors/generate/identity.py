"""docs/spec/02-identity.md: a person with root key, devices, user keys and a keyring that grows."""

from nacl.signing import SigningKey

from .primitives import (
    D,
    H,
    K,
    TRUNKS,
    ZERO,
    Stream,
    box_public,
    device_id,
    record_hash,
    seal,
    seal_box,
    sign,
    u32,
    user_id,
)
from .schema import encode, records

CREATED = 1_750_000_000_000


class Device:
    def __init__(self, name: str):
        random = Stream(f"device {name}")
        self.name = name
        self.key = SigningKey(random.take(32))
        self.box_secret = random.take(32)
        self.sign_key = bytes(self.key.verify_key)
        self.box_key = box_public(self.box_secret)
        self.id = device_id(self.sign_key, self.box_key)


class Person:
    """Verbs append one entry each. `signer` None is the root; `edit` changes the entry before it is signed."""

    def __init__(self, name: str):
        self.name = name
        self.random = Stream(f"person {name}")
        self.root = self.random.take(32)
        self.root_key = SigningKey(K(self.root, D("root-sign")))
        self.root_public = bytes(self.root_key.verify_key)
        self.root_box_secret = K(self.root, D("root-box"))
        self.root_box = box_public(self.root_box_secret)
        self.user = user_id(self.root_public)
        self.entries = []
        self.active = []
        self.added = []  # (position, device, signer)
        self.user_keys = []  # generation g is at g - 1
        self.generations = [0]  # by position
        self.trunks = {}

    @property
    def position(self) -> int:
        return len(self.entries)

    @property
    def device(self) -> Device:
        return self.active[0]

    def append(self, field, change, signer=None, *, key=None, domain="keyring-entry", edit=None, body=None):
        position = self.position + 1
        entry = records.KeyringEntry(
            suite=1,
            user=self.user,
            position=position,
            previous=record_hash(self.entries[-1]) if self.entries else ZERO,
            signer=signer.id if signer else b"",
            created=CREATED + position * 60_000,
        )
        if field:
            getattr(entry, field).SetInParent()
            getattr(entry, field).CopyFrom(change)
        if edit:
            edit(entry)
        data = body(entry) if body else encode(entry)
        self.entries.append(sign(key or (signer.key if signer else self.root_key), domain, data))
        self.generations.append(len(self.user_keys))

    def set_handle(self, handle, signer=None, **options):
        change = records.SetHandle(handle=handle)
        if not self.entries:
            change.root_key, change.root_box_key = self.root_public, self.root_box
        self.append("set_handle", change, signer, **options)

    def add_device(self, device, signer=None, with_key=True, **options):
        change = records.AddDevice(device=device.id, sign_key=device.sign_key, box_key=device.box_key)
        if with_key:
            change.generation = len(self.user_keys)
            change.sealed_user_key = seal_box(device.box_key, self.user_keys[-1], self.random)
        self.append("add_device", change, signer, **options)
        self.added.append((self.position, device, signer))
        self.active.append(device)

    def revoke(self, device, since, signer=None, **options):
        self.append("revoke_device", records.RevokeDevice(device=device.id, since=since), signer, **options)
        ended, waiting = set(), [(device, since)]
        while waiting:
            one, first = waiting.pop()
            ended.add(one)
            waiting += [(d, 1) for p, d, s in self.added if s is one and p >= first and d not in ended]
        self.active = [d for d in self.active if d not in ended]

    def rotate(self, signer=None, **options):
        generation, secret = len(self.user_keys) + 1, self.random.take(32)
        change = records.RotateUserKey(generation=generation, public_key=box_public(secret))
        for device in self.active:
            change.sealed.add(device=device.id, sealed=seal_box(device.box_key, secret, self.random))
        change.sealed.add(device=b"", sealed=seal_box(self.root_box, secret, self.random))
        if generation > 1:
            change.older = self.seal_older(secret, generation)
        self.user_keys.append(secret)
        self.append("rotate_user_key", change, signer, **options)

    def seal_older(self, secret: bytes, generation: int) -> bytes:
        return seal(
            K(secret, D("older-user-key")),
            "older-user-key",
            self.user + u32(generation - 1),
            self.user_keys[generation - 2],
            self.random.take(24),
        )

    def set_trunks(self, signer=None, **options):
        hashes = {name: record_hash(self.trunks[name].records[1]) for name in TRUNKS}
        self.append("set_trunks", records.SetTrunks(**hashes), signer, **options)

    def delete_account(self, signer=None, **options):
        self.append("delete_account", records.DeleteAccount(), signer, **options)
        self.active = []

    def generation(self, position: int) -> int:
        return self.generations[min(position, self.position)]


def safety_number(a: bytes, b: bytes) -> str:
    """§2.4: sixty digits, the same from both sides."""
    return "".join(sorted([safety_half(a), safety_half(b)]))


def safety_half(user: bytes) -> str:
    hashed = H(D("safety-number"), user)
    return "".join(f"{int.from_bytes(hashed[at : at + 5], 'big') % 100_000:05}" for at in range(0, 30, 5))
