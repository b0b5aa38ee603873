"""docs/spec/07-documents.md §7.8: a comment and its writer's signature."""

from .documents import CREATED, KIND, NOTE, document, time_value
from .primitives import D, u32, u64

WRITER, WORDS = 8, 14


def words(writer: bytes, device: bytes, position: int, todo: bytes, comment: bytes, time: int, text: bytes) -> bytes:
    return writer + device + u32(position) + todo + comment + u64(time) + text


def signed(key, *said, domain="comment") -> bytes:
    """The value of field 14: position, device and signature over `words`."""
    _, device, position, *_ = said
    return u32(position) + device + key.sign(D(domain) + words(*said)).signature


def comment(writer: bytes, text: bytes, time: int, proof: bytes, more=()):
    """A document of the kind comment; `more` are further texts with their times."""
    registers = [(CREATED, time_value(time), time, "a"), (KIND, b"comment", time, "a"), (WRITER, writer, time, "a")]
    if proof:
        registers.append((WORDS, proof, time + 1, "a"))
    return document(*registers, elements=[(NOTE, text, time, "a"), *((NOTE, t, at, "a") for t, at in more)])
