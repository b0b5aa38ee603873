"""Documents and derived ids of todos and lists (docs/spec/07-documents.md), as somebody with a changed client makes them."""

import base64
import hashlib


def fields(document):
    """The encoded fields of a document: their numbers and bytes."""
    found, at = [], 0
    while at < len(document):
        tag, length, shift, begin = document[at], 0, 0, at
        at += 1
        while True:
            byte = document[at]
            at, length, shift = at + 1, length | (byte & 0x7F) << shift, shift + 7
            if byte < 0x80:
                break
        at += length
        found.append((tag >> 3, document[begin:at]))
    return found


def deleted(document):
    """The document with a deletion that covers all of it: what it says of its context is what is deleted."""
    known = [field for field in fields(document) if field[0] != 3]
    covered = [(3, bytes([3 << 3 | 2]) + field[1:]) for number, field in known if number == 2]
    return b"".join(field for _, field in sorted(known + covered, key=lambda pair: pair[0]))


def base32(data):
    return base64.b32encode(data).decode().lower().rstrip("=")


def occurrence(name):
    """The id of the todo that follows one whose id has these 26 characters (§7.10)."""
    domain = b"todo/v1/occurrence"
    before = base64.b32decode(name.upper() + "=" * (-len(name) % 8))
    for number in range(256):
        wanted = hashlib.blake2b(bytes([len(domain)]) + domain + before + bytes([number]), digest_size=16).digest()
        short = base32(wanted)[:4]
        if short[0].isalpha() and any(character.isdigit() for character in short):
            return wanted
    raise ValueError(name)
