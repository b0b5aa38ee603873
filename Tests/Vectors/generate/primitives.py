"""docs/spec/01-primitives.md: hashes, signatures, sealing, padding, ids."""

import base64
import hashlib

from nacl import bindings
from nacl.exceptions import CryptoError
from nacl.signing import SigningKey, VerifyKey

from .schema import encode, records

ZERO = bytes(32)


def u8(n: int) -> bytes:
    return n.to_bytes(1, "big")


def u32(n: int) -> bytes:
    return n.to_bytes(4, "big")


def u64(n: int) -> bytes:
    return n.to_bytes(8, "big")


def D(name: str) -> bytes:
    text = b"todo/v1/" + name.encode("ascii")
    return u8(len(text)) + text


def Hn(size: int, domain: bytes, x: bytes) -> bytes:
    return hashlib.blake2b(domain + x, digest_size=size).digest()


def replica(user: bytes, device: bytes, salt: bytes) -> bytes:
    """§7.3."""
    return salt + Hn(16, D("replica"), user + device + salt)[:6]


def disowned(replica: bytes) -> bytes:
    """§7.13."""
    begin = len(replica) - len(replica.lstrip(b"\xff"))
    return (b"\xff" * (begin + 1) + replica[begin + 1 :])[:8]


def H(domain: bytes, x: bytes) -> bytes:
    return Hn(32, domain, x)


def K(key: bytes, domain: bytes, x: bytes = b"") -> bytes:
    assert len(key) == 32
    return hashlib.blake2b(domain + x, digest_size=32, key=key).digest()


class Stream:
    """The entropy of one case: the same seed always gives the same bytes."""

    def __init__(self, seed: str):
        self.seed = seed.encode()
        self.taken = 0

    def take(self, size: int) -> bytes:
        self.taken += 1
        out = b""
        while len(out) < size:
            out += hashlib.blake2b(self.seed + u64(self.taken) + u32(len(out)), person=b"vectors").digest()
        return out[:size]


def sign(key: SigningKey, domain: str, body: bytes):
    """A SignedRecord over these very bytes."""
    return records.SignedRecord(body=body, signature=key.sign(D(domain) + body).signature)


def signature_fits(public: bytes, domain: str, record) -> bool:
    try:
        VerifyKey(public).verify(D(domain) + record.body, record.signature)
        return True
    except (CryptoError, ValueError):
        return False


def record_hash(record) -> bytes:
    return H(D("record"), u32(len(record.body)) + record.body + record.signature)


def seal(key: bytes, domain: str, ad: bytes, plain: bytes, nonce: bytes) -> bytes:
    assert len(nonce) == 24
    return nonce + bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, D(domain) + ad, nonce, key)


def unseal(key: bytes, domain: str, ad: bytes, sealed: bytes):
    """The plaintext, or None."""
    if len(sealed) < 40:
        return None
    try:
        return bindings.crypto_aead_xchacha20poly1305_ietf_decrypt(sealed[24:], D(domain) + ad, sealed[:24], key)
    except CryptoError:
        return None


def box_public(secret: bytes) -> bytes:
    return bindings.crypto_scalarmult_base(secret)


def seal_box(public: bytes, plain: bytes, random: Stream) -> bytes:
    """crypto_box_seal with a given ephemeral key."""
    return seal_box_from(bindings.crypto_box_seed_keypair(random.take(32))[1], public, plain)


def seal_box_from(secret: bytes, public: bytes, plain: bytes) -> bytes:
    ephemeral = box_public(secret)
    nonce = hashlib.blake2b(ephemeral + public, digest_size=24).digest()
    return ephemeral + bindings.crypto_box(plain, nonce, public, secret)


def branch_box(key: bytes, branch: bytes, epoch: int, user: bytes, public: bytes) -> bytes:
    """§3.1: the branch key for somebody who may read."""
    return seal_box_from(K(key, D("branch-key-box"), branch + u64(epoch) + user + public), public, key)


def unseal_box(secret: bytes, sealed: bytes):
    """The plaintext, or None; by libsodium's own crypto_box_seal_open."""
    try:
        return bindings.crypto_box_seal_open(sealed, box_public(secret), secret)
    except (CryptoError, ValueError, TypeError):
        return None


def bucket(length: int) -> int:
    padded = length + 1
    if padded <= 4096:
        return -(-padded // 256) * 256
    e = padded.bit_length() - 1
    s = e.bit_length()  # floor(log2 e) + 1
    step = 1 << (e - s)
    return -(-padded // step) * step


def pad(plain: bytes) -> bytes:
    return (plain + b"\x80").ljust(bucket(len(plain)), b"\0")


def unpad(padded: bytes):
    """The plaintext, or None."""
    cut = padded.rstrip(b"\0")
    return cut[:-1] if cut.endswith(b"\x80") else None


def user_id(root_public: bytes) -> bytes:
    return Hn(20, D("user-id"), root_public)


def user_id_text(user: bytes) -> str:
    return base64.b32encode(user).decode().lower().rstrip("=")


def device_id(sign_key: bytes, box_key: bytes) -> bytes:
    return Hn(16, D("device-id"), sign_key + box_key)


TRUNKS = ["home", "prefs", "outbox", "inbox"]


def own_node_id(branch: bytes, user: bytes) -> bytes:
    return Hn(16, D("own-node"), branch + user)


def derived_id(key: bytes, name: str, x: bytes) -> bytes:
    return K(key, D(name), x)[:16]


def derived_todo_id(key: bytes, name: str, x: bytes) -> bytes:
    """§7.10: the first whose four first characters begin with a letter and hold a digit."""
    for n in range(256):
        found = derived_id(key, name, x + bytes([n]))
        short = base64.b32encode(found).decode()[:4]
        if short[0].isalpha() and any(character.isdigit() for character in short):
            return found
    raise ValueError("no id fits")


def trunk_id(user: bytes, name: str) -> bytes:
    return Hn(16, D("trunk"), user + name.encode("ascii"))


def flip(data: bytes, at: int = -1) -> bytes:
    """One bit changed."""
    changed = bytearray(data)
    changed[at] ^= 1
    return bytes(changed)


def record_hex(record) -> str:
    return encode(record).hex()
