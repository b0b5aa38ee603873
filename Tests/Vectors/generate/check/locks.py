"""docs/spec/09-lock.md: what opens a key file, and a unit of a sealed file."""

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
from nacl.exceptions import CryptoError
from nacl.pwhash import argon2id


def key_file(case):
    data = bytes.fromhex(case["file"])
    if len(data) != 129 or not data.startswith(b"todo/v1/key-file"):
        return ["malformed"]
    if data[16] != 1:
        return ["newer"]
    passes, memory = int.from_bytes(data[49:53], "big"), int.from_bytes(data[53:57], "big")
    if passes < 3 or memory < 65536:
        return ["cost-too-low"]
    if passes > 16 or memory > 4194304:
        return ["cost-too-high"]
    key = argon2id.kdf(32, case["passphrase"].encode(), data[33:49], passes, memory * 1024)
    opened = opening(key, b"\x14todo/v1/database-key" + data[:57], data[57:])
    assert opened is None or opened.hex() == case["key"]
    return ["key-unopenable"] if opened is None else []


def unit(case):
    context = bytes([case["file"]]) + case["number"].to_bytes(8, "big")
    data = bytes.fromhex(case["sealed"])
    opened = opening(bytes.fromhex(case["key"]), b"\x15todo/v1/database-unit" + context, data)
    assert opened is None or opened.hex() == case["plain"]
    return ["content-unopenable"] if opened is None else []


def opening(key, context, data):
    try:
        return decrypt(data[24:], context, data[:24], key)
    except CryptoError:
        return None
