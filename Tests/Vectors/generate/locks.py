"""docs/spec/09-lock.md: the key file and the units of sealed files."""

from nacl import pwhash

from .primitives import seal, u8, u32, u64, unseal

FLOOR = (3, 65536)
STANDARD = (3, 262144)
MAGIC = b"todo/v1/key-file"


def wrapping(passphrase: str, salt: bytes, cost) -> bytes:
    passes, memory = cost
    return pwhash.argon2id.kdf(32, passphrase.encode(), salt, opslimit=passes, memlimit=memory * 1024)


def key_file(name, key, salt, nonce, passphrase, cost, suite=1, written=None) -> bytes:
    """`written` stands in the file in place of the cost that was paid."""
    passes, memory = written or cost
    head = MAGIC + u8(suite) + name + salt + u32(passes) + u32(memory)
    return head + seal(wrapping(passphrase, salt, cost), "database-key", head, key, nonce)


def unit(key, file, number, plain, nonce) -> bytes:
    return seal(key, "database-unit", u8(file) + u64(number), plain, nonce)


def open_unit(key, file, number, sealed):
    return unseal(key, "database-unit", u8(file) + u64(number), sealed)


