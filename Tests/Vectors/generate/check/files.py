"""docs/spec/10-files.md: what a reader of a file finds, in the order in which it looks."""

import hashlib

from nacl.bindings import crypto_aead_xchacha20poly1305_ietf_decrypt as decrypt
from nacl.exceptions import CryptoError

LIMITS = {1: 65536, 3: 1 << 20, 2: 1 << 40}
STEP = 65552


def word(name):
    return bytes([8 + len(name)]) + b"todo/v1/" + name.encode()


def blake(domain, data, key=b""):
    return hashlib.blake2b(word(domain) + data, digest_size=32, key=key).digest()


def is_sealed_length(length, section):
    """Whether some size within the limit gives it."""
    whole, rest = divmod(length, STEP)
    if 0 < rest <= 16:
        return False
    plain = whole * 65536 + (rest - 16 if rest else 0)
    if plain > LIMITS[section]:
        return False
    if plain <= 4096:
        return plain % 256 == 0
    exponent = plain.bit_length() - 1
    return plain % (1 << (exponent - exponent.bit_length())) == 0


def reference_reasons(reference):
    """§10.3, of one entry of a header."""
    if not reference.HasField("file"):
        return ["limit-exceeded"] if reference.length > 65536 else []
    return layout_reasons(reference.section, reference.length, reference.file.metadata, reference.file.thumbnail)


def layout_reasons(section, length, metadata, thumbnail):
    data = length - 80 - metadata - thumbnail
    fits = section == 2 and data >= 0 and is_sealed_length(metadata, 1)
    fits = fits and is_sealed_length(thumbnail, 3) and is_sealed_length(data, 2)
    return [] if fits else ["malformed"]


def file_key_reasons(reference, key):
    """§10.3, of the key in a node's metadata, which may be None."""
    listed = reference is not None and reference.HasField("file")
    if listed != (key is not None):
        return ["malformed"]
    if not listed:
        return []
    if [len(x) for x in (key.key, key.header, key.metadata, key.thumbnail, key.data)] != [32, 80, 32, 32, 32]:
        return ["malformed"]
    layout = reference.length, reference.file.metadata, reference.file.thumbnail
    return Reader(reference.content, layout, reference.hash, key).reasons


class Reader:
    def __init__(self, content, layout, root, key):
        self.content, self.layout, self.key, self.sizes = content, layout, key, None
        numbers = b"".join(n.to_bytes(8, "big") for n in layout)
        header = blake("file-leaf", bytes(9) + key.header)
        if blake("file-root", numbers + header + key.metadata + key.thumbnail + key.data) != root:
            self.reasons = ["content-mismatch"]
            return
        plain = self.opened(0, [(0, True, key.header)])
        self.reasons = ["content-unopenable"] if plain is None else self.header_reasons(plain)

    def header_reasons(self, plain):
        if plain[0] != 1:
            return ["suite-unknown"]
        sizes = [int.from_bytes(plain[at : at + 8], "big") for at in (40, 48, 56)]
        lengths = [self.layout[1], self.layout[2], self.layout[0] - 80 - self.layout[1] - self.layout[2]]
        fits = all(length_of(size) == length for size, length in zip(sizes, lengths))
        within = all(size <= LIMITS[section] for size, section in zip(sizes, (1, 3, 2)))
        if any(plain[1:40]) or not fits or not within:
            return ["malformed"]
        self.sizes = dict(zip((1, 3, 2), sizes))
        return []

    def opened(self, section, chunks):
        key = blake("file-section", self.content + bytes([section]), self.key.key)
        plain = b""
        for index, last, chunk in chunks:
            nonce = index.to_bytes(23, "big") + bytes([last])
            try:
                plain += decrypt(chunk, word("file-chunk"), nonce, key)
            except (CryptoError, ValueError):
                return None
        return plain

    def section_reasons(self, section, answer):
        """Of metadata or thumbnail."""
        length, hashed = (self.layout[1], self.key.metadata) if section == 1 else (self.layout[2], self.key.thumbnail)
        if len(answer) != length:
            return ["content-missing"]
        found = blake("file-leaf", bytes([section]) + bytes(8) + answer) if answer else bytes(32)
        return self.plain_reasons(section, 0, answer, found == hashed, length)

    def plain_reasons(self, section, start, answer, is_right, length):
        """`start` is the index of the first chunk, `length` the section's."""
        if not is_right:
            return ["content-mismatch"]
        total = -(-length // STEP)
        cut = [answer[at : at + STEP] for at in range(0, len(answer), STEP)]
        plain = self.opened(section, [(start + i, start + i == total - 1, chunk) for i, chunk in enumerate(cut)])
        if plain is None:
            return ["content-unopenable"]
        return ["malformed"] if any(plain[max(0, self.sizes[section] - start * 65536) :]) else []

    def data_reasons(self, hashes, answer):
        length = self.layout[0] - 80 - self.layout[1] - self.layout[2]
        count = -(-length // (16 * STEP))
        if len(hashes) != 32 * count:
            return ["content-missing"]
        leaves = [hashes[at : at + 32] for at in range(0, len(hashes), 32)]
        if folded(leaves) != self.key.data:
            return ["content-mismatch"]
        for index, leaf in enumerate(leaves):
            piece = answer[index * 16 * STEP : (index + 1) * 16 * STEP]
            if len(piece) != min(16 * STEP, length - index * 16 * STEP):
                return ["content-missing"]
            found = blake("file-leaf", b"\x02" + index.to_bytes(8, "big") + piece)
            reasons = self.plain_reasons(2, index * 16, piece, found == leaf, length)
            if reasons:
                return reasons
        return ["content-missing"] if len(answer) > length else []


def length_of(size):
    """The sealed length, by a search among those that may be."""
    if size == 0:
        return 0
    if size <= 4096:
        plain = (size + 255) & ~255
    else:
        exponent = size.bit_length() - 1
        mask = (1 << (exponent - exponent.bit_length())) - 1
        plain = (size + mask) & ~mask
    return plain + 16 * -(-plain // 65536)


def folded(leaves):
    """The tree from the bottom: level by level, a node without a neighbour goes up as it is."""
    level = list(leaves) or [bytes(32)]
    while len(level) > 1:
        pairs = [level[at : at + 2] for at in range(0, len(level), 2)]
        level = [blake("file-node", b"".join(pair)) if len(pair) == 2 else pair[0] for pair in pairs]
    return level[0]


class Key:
    def __init__(self, fields):
        self.key, self.header, self.metadata, self.thumbnail, self.data = map(bytes.fromhex, fields)


def file(case):
    content, root = bytes.fromhex(case["content"]), bytes.fromhex(case["root"])
    layout = case["length"], case["metadata_length"], case["thumbnail_length"]
    names = ("key", "header", "metadata", "thumbnail", "data")
    reasons = layout_reasons(2, *layout)
    reader = None if reasons else Reader(content, layout, root, Key([case["file_key"][name] for name in names]))
    reasons = reasons or reader.reasons
    if reasons:
        return reasons
    answers = {name: joined(case, name) for name in ("metadata", "thumbnail", "leaves", "data")}
    return (
        reader.section_reasons(1, answers["metadata"])
        or reader.section_reasons(3, answers["thumbnail"])
        or reader.data_reasons(answers["leaves"], answers["data"])
    )


def joined(case, name):
    """An answer, from the pieces that stand for it: of the good file, or bytes of their own."""
    from ..files import File

    good = File(*(bytes.fromhex(case["good"][part]) for part in ("key", "content")), tuple(case["good"]["sizes"]))
    source = b"".join(good.leaves) if name == "leaves" else good.bytes
    pieces = case["answers"][name]
    return b"".join(bytes.fromhex(p) if isinstance(p, str) else source[p[0] : p[1]] for p in pieces)
