"""Documents as the database has them (proto/documents.proto), to be read and changed without the program."""


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def fields(message):
    """The fields of a message: (number, value), where a value is a number or bytes."""
    at, found = 0, []

    def number():
        nonlocal at
        result = shift = 0
        while True:
            byte = message[at]
            at += 1
            result |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return result

    while at < len(message):
        key = number()
        if key & 7 == 0:
            found.append((key >> 3, number()))
        else:
            length = number()
            found.append((key >> 3, message[at : at + length]))
            at += length
    return found


def message(found):
    out = b""
    for number, value in found:
        if isinstance(value, int):
            out += varint(number << 3) + varint(value)
        else:
            out += varint(number << 3 | 2) + varint(len(value)) + value
    return out


def with_register(document, field, change):
    """A document in which the register of a field is what `change(value, time, replica)` makes of it."""
    found = []
    for number, value in fields(document):
        register = dict(fields(value)) if number == 1 else {}
        if register.get(1) == field:
            stamp = dict(fields(register[3]))
            text, time, replica = change(register.get(2, b""), stamp.get(1, 0), stamp[2])
            value = message([(1, field), (2, text), (3, message([(1, time), (2, replica)]))])
            found.append((2, message([(1, time), (2, replica)])))
        found.append((number, value))
    return message(sorted(found, key=lambda pair: pair[0]))
