"""docs/spec/10-files.md: files of any size, in chunks, under a tree of hashes."""

from nacl import bindings

from .primitives import D, H, K, ZERO, bucket, u8, u64
from .schema import records, treesystem

HEADER, METADATA, DATA, THUMBNAIL = 0, 1, 2, 3
CHUNK, LEAF = 65536, 16 * 65552


def pattern(section: int, size: int) -> bytes:
    """What the plaintexts of the vectors are: byte i is (i + section) mod 251."""
    period = bytes(range(251))
    period = period[section:] + period[:section]
    return (period * (size // 251 + 1))[:size]


def padded_length(size: int) -> int:
    return bucket(size - 1) if size else 0


def section_key(key: bytes, content: bytes, section: int) -> bytes:
    return K(key, D("file-section"), content + u8(section))


def seal_chunk(key: bytes, index: int, last: bool, plain: bytes, domain="file-chunk") -> bytes:
    nonce = bytes(15) + u64(index) + u8(last)
    return bindings.crypto_aead_xchacha20poly1305_ietf_encrypt(plain, D(domain), nonce, key)


def seal_padded(key: bytes, padded: bytes) -> bytes:
    chunks = [padded[at : at + CHUNK] for at in range(0, len(padded), CHUNK)]
    return b"".join(seal_chunk(key, i, i == len(chunks) - 1, chunk) for i, chunk in enumerate(chunks))


def seal_section(key: bytes, content: bytes, section: int, plain: bytes) -> bytes:
    return seal_padded(section_key(key, content, section), plain.ljust(padded_length(len(plain)), b"\0"))


def sealed_length(size: int) -> int:
    padded = padded_length(size)
    return padded + 16 * -(-padded // CHUNK)


def header_plain(metadata: int, thumbnail: int, data: int, suite=1, zeros=bytes(39)) -> bytes:
    return u8(suite) + zeros + u64(metadata) + u64(thumbnail) + u64(data)


def seal_header(key: bytes, content: bytes, plain: bytes) -> bytes:
    return seal_padded(section_key(key, content, HEADER), plain)


def leaf_hash(section: int, index: int, sealed: bytes) -> bytes:
    return H(D("file-leaf"), u8(section) + u64(index) + sealed) if sealed else ZERO


def data_leaves(sealed: bytes) -> list:
    return [leaf_hash(DATA, at // LEAF, sealed[at : at + LEAF]) for at in range(0, len(sealed), LEAF)]


def tree(leaves: list) -> bytes:
    """RFC 9162 §2.1.1, from the top."""
    if not leaves:
        return ZERO
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while 2 * split < len(leaves):
        split *= 2
    return H(D("file-node"), tree(leaves[:split]) + tree(leaves[split:]))


class File:
    """A file, sealed; what is given in place of a section's bytes takes part in the root."""

    def __init__(self, key, content, sizes, *, header=None, metadata=None, thumbnail=None, data=None, leaves=None):
        self.key, self.content, self.sizes = key, content, sizes
        plain = [pattern(section, size) for section, size in zip((METADATA, THUMBNAIL, DATA), sizes)]
        self.header = seal_header(key, content, header_plain(*sizes)) if header is None else header
        self.metadata = seal_section(key, content, METADATA, plain[0]) if metadata is None else metadata
        self.thumbnail = seal_section(key, content, THUMBNAIL, plain[1]) if thumbnail is None else thumbnail
        self.data = seal_section(key, content, DATA, plain[2]) if data is None else data
        self.leaves = data_leaves(self.data) if leaves is None else leaves
        self.data_root = tree(self.leaves)
        self.metadata_leaf = leaf_hash(METADATA, 0, self.metadata)
        self.thumbnail_leaf = leaf_hash(THUMBNAIL, 0, self.thumbnail)

    @property
    def bytes(self) -> bytes:
        return self.header + self.metadata + self.thumbnail + self.data

    @property
    def layout(self):
        return len(self.bytes), len(self.metadata), len(self.thumbnail)

    def root(self, layout=None) -> bytes:
        length, metadata, thumbnail = layout or self.layout
        hashes = leaf_hash(HEADER, 0, self.header) + self.metadata_leaf + self.thumbnail_leaf + self.data_root
        return H(D("file-root"), u64(length) + u64(metadata) + u64(thumbnail) + hashes)

    def file_key(self):
        return treesystem.FileKey(
            key=self.key,
            header=self.header,
            metadata=self.metadata_leaf,
            thumbnail=self.thumbnail_leaf,
            data=self.data_root,
        )

    def reference(self, device: bytes):
        length, metadata, thumbnail = self.layout
        layout = records.FileLayout(metadata=metadata, thumbnail=thumbnail)
        return records.ContentReference(
            content=self.content, section=DATA, device=device, length=length, hash=self.root(), file=layout
        )

    def parts(self) -> list:
        """The lengths of its parts (§10.5)."""
        total = len(self.bytes)
        if total < 10485760:
            return [total]
        first = total - len(self.data) + 4 * LEAF
        rest = total - first
        return [first] + [min(4 * LEAF, rest - at) for at in range(0, rest, 4 * LEAF)]
