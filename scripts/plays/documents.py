"""Documents of todos and lists (docs/spec/07-documents.md), as somebody with a changed client makes them."""


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
