"""docs/spec/08-messages.md §8.5, §8.6: ids."""

from .primitives import D, Hn, record_hash


def post_id(sender: bytes, number: bytes) -> bytes:
    return Hn(16, D("post"), sender + number)


def conversation_id(users, topic: bytes) -> bytes:
    return Hn(16, D("conversation"), b"".join(sorted(set(users))) + topic)


def origin_id(record) -> bytes:
    return Hn(16, D("origin"), record_hash(record))
