"""A second reading of docs/spec: judges every case before it is written. Each judge returns all the reasons it finds
in the first record that fails, so a bad case that fails for two reasons is a mistake of the generator."""

from google.protobuf.message import DecodeError

COUNTER = 2**53


def parse(kind, data: bytes):
    """The message, or None when the bytes do not parse."""
    message = kind()
    try:
        message.ParseFromString(data)
        return message
    except DecodeError:
        return None


def counters(*values) -> list:
    """[malformed] unless each counter is within its limit (§1.7)."""
    return [] if all(value <= COUNTER for value in values) else ["malformed"]


def lengths(*pairs) -> list:
    """[malformed] unless each value has one of its allowed lengths."""
    return [] if all(len(value) in allowed for value, allowed in pairs) else ["malformed"]
