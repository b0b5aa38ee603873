"""docs/spec/02-identity.md §2.2."""

import re

from ..primitives import ZERO, device_id, record_hash, signature_fits, user_id
from ..schema import records
from . import lengths, parse


class Keyring:
    def __init__(self, user: bytes):
        self.user, self.handle, self.trunks = user, None, None
        self.root_public = None
        self.devices = {}  # id → [sign key, added at, added by, ended at or None]
        self.generations = [0]
        self.hash = ZERO
        self.deleted = False

    @property
    def position(self):
        return len(self.generations) - 1

    def active(self, device: bytes, position: int) -> bool:
        if device not in self.devices or position > self.position:
            return False
        _, added, _, ended = self.devices[device]
        return added <= position and (ended is None or position < ended)

    def key_is_due(self):
        """Whether a device has ended since the newest user key was drawn."""
        newest = self.generations.index(self.generations[-1])
        return any(ended and ended > newest for _, _, _, ended in self.devices.values())

    def active_devices(self):
        return [device for device in self.devices if self.active(device, self.position)]


def fold(user: bytes, entries):
    """The keyring and no reasons, or the keyring so far and the reasons for refusing the next entry."""
    keyring = Keyring(user)
    for record in entries:
        reasons = entry_reasons(keyring, record)
        if reasons:
            return keyring, reasons
    return keyring, [] if len(entries) >= 4 else ["trunks-missing"]


def entry_reasons(keyring, record):
    entry = parse(records.KeyringEntry, record.body)
    if entry is None or len(record.signature) != 64:
        return ["malformed"]
    position, reasons = keyring.position + 1, []
    if keyring.deleted:
        return ["account-deleted"]
    if entry.suite != 1:
        reasons.append("suite-unknown")
    reasons += lengths((entry.user, [20]), (entry.previous, [32]), (entry.signer, [0, 16]))
    if not reasons and entry.user != keyring.user:
        reasons.append("user-mismatch")
    if not reasons and (entry.position != position or entry.previous != keyring.hash):
        reasons.append("chain-broken")
    change = entry.WhichOneof("change")
    root = entry.set_handle.root_key if position == 1 else keyring.root_public
    if position == 1:
        handle = entry.set_handle
        if change != "set_handle" or len(handle.root_box_key) != 32 or user_id(handle.root_key) != keyring.user:
            return reasons + ["root-mismatch"]
    elif entry.set_handle.root_key or entry.set_handle.root_box_key:
        reasons.append("root-mismatch")
    reasons += signer_reasons(keyring, entry, record, root)
    reasons += CHANGES.get(change, lambda *_: ["malformed"])(keyring, entry, position)
    if not has_room(keyring, entry.signer, change, position):
        reasons.append("limit-exceeded")
    if not reasons:
        apply(keyring, entry, change, position, record)
    return reasons


def has_room(keyring, signer, change, position):
    """Rule 9: the last hundred places are the root's, but that devices end each other in the first sixty of them."""
    if not signer or position <= 900:
        return position <= 1000
    ends = change == "revoke_device" or (change == "rotate_user_key" and keyring.key_is_due())
    return position <= 960 and ends


def signer_reasons(keyring, entry, record, root):
    if not entry.signer:
        public = root
    elif keyring.active(entry.signer, keyring.position):
        public = keyring.devices[entry.signer][0]
    else:
        return ["device-unknown"]
    return [] if signature_fits(public, "keyring-entry", record) else ["signature-bad"]


def set_handle(keyring, entry, position):
    return [] if re.fullmatch(r"[a-z0-9][a-z0-9_-]{0,31}", entry.set_handle.handle) else ["malformed"]


def add_device(keyring, entry, position):
    add = entry.add_device
    if device_id(add.sign_key, add.box_key) != add.device or len(add.sign_key) != 32 or len(add.box_key) != 32:
        return ["malformed"]
    if add.device in keyring.devices:
        return ["device-exists"]
    fits = add.generation in (0, keyring.generations[-1]) and len(add.sealed_user_key) == (80 if add.generation else 0)
    return [] if fits else ["malformed"]


def revoke_device(keyring, entry, position):
    if not keyring.active(entry.revoke_device.device, keyring.position):
        return ["device-unknown"]
    return [] if 1 <= entry.revoke_device.since <= position - 1 else ["malformed"]


def rotate_user_key(keyring, entry, position):
    rotate, reasons = entry.rotate_user_key, []
    if rotate.generation != keyring.generations[-1] + 1 or bool(rotate.older) != (rotate.generation > 1):
        reasons.append("generation-wrong")
    named = sorted(sealed.device for sealed in rotate.sealed)
    whole = named == sorted([b"", *keyring.active_devices()]) and all(len(s.sealed) == 80 for s in rotate.sealed)
    if not whole or len(rotate.public_key) != 32 or len(rotate.older) not in (0, 72):
        reasons.append("malformed")
    return reasons


def set_trunks(keyring, entry, position):
    trunks = entry.set_trunks
    wrong = entry.signer or keyring.trunks
    return (
        ["malformed"]
        if wrong
        else lengths(*((h, [32]) for h in (trunks.home, trunks.prefs, trunks.outbox, trunks.inbox)))
    )


CHANGES = {
    "set_handle": set_handle,
    "add_device": add_device,
    "revoke_device": revoke_device,
    "rotate_user_key": rotate_user_key,
    "set_trunks": set_trunks,
    "delete_account": lambda *_: [],
}


def apply(keyring, entry, change, position, record):
    generation = keyring.generations[-1]
    if change == "set_handle":
        keyring.handle = entry.set_handle.handle
        keyring.root_public = keyring.root_public or entry.set_handle.root_key
    elif change == "add_device":
        keyring.devices[entry.add_device.device] = [entry.add_device.sign_key, position, entry.signer, None]
    elif change == "revoke_device":
        end(keyring, entry.revoke_device.device, entry.revoke_device.since, position)
    elif change == "rotate_user_key":
        generation = entry.rotate_user_key.generation
    elif change == "set_trunks":
        trunks = entry.set_trunks
        keyring.trunks = [trunks.home, trunks.prefs, trunks.outbox, trunks.inbox]
    elif change == "delete_account":
        keyring.deleted = True
        for facts in keyring.devices.values():
            facts[3] = facts[3] or position
    keyring.generations.append(generation)
    keyring.hash = record_hash(record)


def end(keyring, device, since, position):
    if keyring.devices[device][3] is None:
        keyring.devices[device][3] = position
    for other, (_, added, by, _) in list(keyring.devices.items()):
        if by == device and added >= since:
            end(keyring, other, 1, position)
