"""docs/spec/08-messages.md §8.3 and 02-identity.md §2.6."""

import hashlib

from ..primitives import D, K, device_id
from ..schema import treesystem
from . import lengths, parse

SIGNS = {sign: value for value, sign in enumerate("0123456789ABCDEFGHJKMNPQRSTVWXYZ")} | {"O": 0, "I": 1, "L": 1}


def hashed(name, data, size=32):
    return hashlib.blake2b(D(name) + data, digest_size=size).digest()


def code(case):
    typed, point, handle = case["text"].partition(".")
    typed, handle = typed.replace("-", "").upper(), handle.lower()
    values = bytes(SIGNS[sign] for sign in typed if sign in SIGNS)
    if not point or len(typed) != 24 or len(values) != 24:
        return ["malformed"]
    if [byte & 31 for byte in hashed("code-check", values[:20] + handle.encode())[:4]] != list(values[20:]):
        return ["malformed"]
    inviter, claimant, branch = (bytes.fromhex(case[name]) for name in ("inviter", "claimant", "branch"))
    key = hashed("code-key", values[:20])
    assert handle == case["handle"] and hashed("code-id", values[:20], 16).hex() == case["id"]
    assert K(key, D("code-claim"), inviter + claimant).hex() == case["claim"]
    assert K(key, D("code-answer"), inviter + claimant + branch).hex() == case["answer"]
    return []


def login(case):
    names = ("user", "device", "login", "nonce", "opening", "commitment")
    user, device, number, nonce, opening, committed = (bytes.fromhex(case[name]) for name in names)
    if hashed("login-commitment", number + opening) != committed:
        return ["content-mismatch"]
    message = parse(treesystem.LoginOpening, opening)
    if message is None or len(message.name.encode()) > 64:
        return ["malformed"]
    wrong = lengths((message.sign_key, [32]), (message.box_key, [32]), (message.nonce, [32]))
    if wrong:
        return wrong
    number = int.from_bytes(hashed("login-code", user + device + number + nonce + opening)[:8], "big")
    assert f"{number % 100_000_000:08}" == case["code"].replace("-", "")
    assert device_id(message.sign_key, message.box_key).hex() == case["new_device"] and message.name == case["name"]
    return []
