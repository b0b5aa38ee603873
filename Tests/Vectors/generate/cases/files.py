"""file: docs/spec/10-files.md. What a reader of a file is answered, and what its author sealed."""

from ..files import CHUNK, DATA, HEADER, LEAF, METADATA, THUMBNAIL, File
from ..files import header_plain, leaf_hash, pattern, seal_chunk, seal_header, seal_padded, seal_section, section_key
from ..files import data_leaves, padded_length, sealed_length
from ..primitives import D, H, Stream, flip

SMALL, CHUNKS, LEAVES = (300, 2000, 700), (300, 2000, 200_000), (0, 0, 3 << 20)
STEP = CHUNK + 16


def made(seed="file", sizes=SMALL, **options):
    random = Stream(seed)
    return File(random.take(32), random.take(16), sizes, **options)


def case(name, expect, comment, good=None, *, file=None, layout=None, root=None, change=None, **answers):
    """`good` is what the answers are cut from, `file` what the reference and the key are of."""
    good = good or made()
    file = file or good
    layout = layout or file.layout
    key = file.file_key()
    if change:
        change(key)
    fields = {"content": good.content.hex(), "length": layout[0], "metadata_length": layout[1]}
    fields |= {"thumbnail_length": layout[2], "root": (root or file.root()).hex()}
    fields["file_key"] = {part: getattr(key, part).hex() for part in ("key", "header", "metadata", "thumbnail", "data")}
    fields["good"] = {"key": good.key.hex(), "content": good.content.hex(), "sizes": list(good.sizes)}
    whole = {"metadata": [[80, 80 + len(good.metadata)]], "leaves": [[0, 32 * len(good.leaves)]]}
    at = 80 + len(good.metadata)
    whole |= {"thumbnail": [[at, at + len(good.thumbnail)]], "data": [[start(good), len(good.bytes)]]}
    fields["answers"] = whole | answers
    if expect == "ok":
        fields["parts"] = good.parts()
        fields["leaves"] = b"".join(good.leaves).hex()
        fields["last_chunk"] = good.data[len(good.data) // STEP * STEP :].hex() if len(good.data) % STEP < 5000 else ""
        if len(good.bytes) < 8192:
            fields["sealed"] = good.bytes.hex()
    return "file", name, expect, comment, fields


def start(file) -> int:
    return len(file.bytes) - len(file.data)


def cut(file, *ranges) -> list:
    """Pieces of the data, by bytes from its beginning."""
    return [[start(file) + a, start(file) + b] for a, b in ranges]


def chunks(file, *indexes) -> list:
    return cut(file, *[(STEP * i, min(STEP * (i + 1), len(file.data))) for i in indexes])


def flipped(file, at: int) -> list:
    """All the data with one bit changed."""
    return [*cut(file, (0, at)), flip(file.data[at : at + 1]).hex(), *cut(file, (at + 1, len(file.data)))]


def joined(file, pieces) -> bytes:
    return b"".join(bytes.fromhex(piece) if isinstance(piece, str) else file.bytes[slice(*piece)] for piece in pieces)


def cases():
    yield from good()
    yield from layouts()
    yield from keys()
    yield from served()
    yield from served_leaves()
    yield from sealed_wrong()
    yield from headers()


def good():
    yield case("good-empty", "ok", "Nothing in any section.", made(sizes=(0, 0, 0)))
    yield case("good-small", "ok", "Something in every section.")
    yield case("good-only-metadata", "ok", "Metadata alone.", made(sizes=(256, 0, 0)))
    yield case("good-only-thumbnail", "ok", "A thumbnail alone.", made(sizes=(0, 257, 0)))
    for size in (1, 255, 256, 257, 4096, 4097, 65535, 65536, 65537):
        yield case(f"good-data-{size}", "ok", f"Data of {size} bytes.", made(f"data {size}", (0, 0, size)))
    for size in ((1 << 20) - 1, 1 << 20, (1 << 20) + 1):
        yield case(f"good-data-{size}", "ok", "About one leaf of data.", made(f"data {size}", (5, 0, size)))
    yield case("good-several-leaves", "ok", "Six leaves.", made("several", (9, 4097, (5 << 20) + 17)))
    yield case("good-largest-metadata", "ok", "65,536 bytes of metadata.", made("metadata", (65536, 0, 3)))
    yield case("good-largest-thumbnail", "ok", "2^20 bytes of thumbnail.", made("thumbnail", (0, 1 << 20, 3)))
    yield case("good-one-part", "ok", "A little under 10 MiB, sealed.", made("part", (1, 1, 10_200_000)))
    yield case("good-three-parts", "ok", "Eleven leaves in three parts.", made("parts", (1, 1, 11_000_000)))


def layouts():
    def bad(name, comment, length, metadata, thumbnail):
        return case(name, "malformed", comment, layout=(length, metadata, thumbnail))

    length, metadata, thumbnail = made().layout
    yield bad("layout-metadata-odd", "Metadata of a length that no size gives.", length, metadata + 1, thumbnail)
    yield bad("layout-thumbnail-odd", "A thumbnail of a length that no size gives.", length, metadata, thumbnail - 1)
    yield bad("layout-data-odd", "Data of a length that no size gives.", length + 1, metadata, thumbnail)
    yield bad("layout-data-of-a-tag", "Data of 16 bytes: a chunk of nothing.", 80 + 16, 0, 0)
    yield bad("layout-data-unpadded", "Data that was not padded.", 80 + 700 + 16, 0, 0)
    yield bad("layout-without-header", "79 bytes.", 79, 0, 0)
    yield bad("layout-sum-too-long", "Sections that are longer than the file.", length - len(made().data) - 1, metadata, thumbnail)
    above = sealed_length(65537)
    yield bad("layout-metadata-above-limit", "Metadata of 65,537 bytes.", 80 + above, above, 0)
    above = sealed_length((1 << 20) + 1)
    yield bad("layout-thumbnail-above-limit", "A thumbnail of 2^20 + 1 bytes.", 80 + above, 0, above)
    yield bad("layout-data-above-limit", "Data of 2^40 + 1 bytes.", 80 + sealed_length((1 << 40) + 1), 0, 0)
    yield bad("layout-largest-numbers", "2^64 − 1 everywhere.", (1 << 64) - 1, (1 << 64) - 1, (1 << 64) - 1)


def keys():
    wrong = "content-mismatch"

    def changed(part, at=-1):
        return lambda key: setattr(key, part, flip(getattr(key, part), at))

    yield case("root-another", wrong, "The header lists another root.", root=flip(made().root()))
    for part in ("metadata", "thumbnail", "data"):
        yield case(f"key-{part}-changed", wrong, f"A bit of the {part}'s hash in the file key.", change=changed(part))
    for name, at in (("start", 0), ("tag", -1)):
        yield case(f"key-header-{name}-changed", wrong, "A bit of the sealed header.", change=changed("header", at))
    yield case("key-another", "content-unopenable", "Another file key; the root is right.", change=changed("key"))
    file = made(sizes=(300, 600, 700))
    length, metadata, thumbnail = file.layout
    yield case("layout-another", wrong, "Metadata and thumbnail change their lengths.", file, layout=(length, thumbnail, metadata))
    other = made("other")
    yield case(
        "key-of-another-file",
        wrong,
        "The file key of another file, whole.",
        change=lambda key: key.CopyFrom(other.file_key()),
    )
    yield moved_id()


def moved_id():
    """Its plaintext under its key, but listed under another content id."""
    good = made()
    kind, name, expect, comment, fields = case(
        "content-id-another", "content-unopenable", "All of a file, listed under another content id.", good
    )
    fields["content"] = flip(good.content).hex()
    return kind, name, expect, comment, fields


def served():
    """What a server answers in place of a section."""
    wrong, missing = "content-mismatch", "content-missing"
    small, file, equal = made(), made("chunks", CHUNKS), made("equal", (300, 300, 700))
    for name, sealed in (("metadata", small.metadata), ("thumbnail", small.thumbnail)):
        yield case(f"{name}-bit-flipped", wrong, f"A bit of the {name}.", **{name: [flip(sealed, 9).hex()]})
        yield case(f"{name}-tag-flipped", wrong, f"A bit of the {name}'s tag.", **{name: [flip(sealed).hex()]})
        yield case(f"{name}-cut", missing, "The last byte is missing.", **{name: [sealed[:-1].hex()]})
        yield case(f"{name}-longer", missing, "A byte too many.", **{name: [sealed.hex(), "00"]})
        yield case(f"{name}-missing", missing, "Nothing.", **{name: []})
        other = getattr(made("other"), name)
        yield case(f"{name}-of-another-file", wrong, "That of another file.", **{name: [other.hex()]})
    yield case("thumbnail-as-metadata", wrong, "The thumbnail, which is as long.", equal, metadata=[equal.thumbnail.hex()])
    last = len(file.data)
    places = {"first-byte": 0, "first-tag": STEP - 1, "second-chunk": STEP, "third-tag": 3 * STEP - 1}
    places |= {"last-chunk": 3 * STEP, "last-tag": last - 1}
    for name, at in places.items():
        yield case(f"data-{name}-flipped", wrong, f"A bit of byte {at} of the data.", file, data=flipped(file, at))
    for name, expect, comment, order in (
        ("chunks-swapped", wrong, "The first two chunks changed places.", (1, 0, 2, 3)),
        ("chunk-repeated", wrong, "The first chunk stands where the second should.", (0, 0, 2, 3)),
        ("chunk-doubled", missing, "The second chunk comes twice.", (0, 1, 1, 2, 3)),
        ("chunk-dropped", missing, "The second chunk is left out.", (0, 2, 3)),
        ("last-chunk-dropped", missing, "The last chunk is left out.", (0, 1, 2)),
        ("first-chunk-alone", missing, "The first chunk only.", (0,)),
    ):
        yield case(f"data-{name}", expect, comment, file, data=chunks(file, *order))
    yield case("data-cut", missing, "The last byte is missing.", file, data=cut(file, (0, last - 1)))
    yield case("data-longer", missing, "A byte too many.", file, data=[*cut(file, (0, last)), "00"])
    yield case("data-missing", missing, "Nothing.", file, data=[])
    for seed, name, comment in (
        ("other", "data-of-another-file", "The data of another file."),
        ("older", "data-of-another-version", "The same plaintext, sealed for an earlier version."),
    ):
        yield case(name, wrong, comment, data=[made(seed).data.hex()])
    tail = seal_section(Stream("tail").take(32), file.content, DATA, pattern(DATA, 4096))
    yield case("data-chunk-of-another-file", wrong, "The last chunk of another file.", file, data=[*chunks(file, 0, 1, 2), tail.hex()])


def served_leaves():
    wrong, missing = "content-mismatch", "content-missing"
    file = made("leaves", LEAVES)
    hashes = [leaf.hex() for leaf in file.leaves]

    def answer(*order):
        return cut(file, *[(LEAF * i, LEAF * (i + 1)) for i in order])

    yield case("leaves-swapped", wrong, "Two leaves of the data changed places.", file, data=answer(1, 0, 2))
    yield case("leaves-swapped-with-hashes", wrong, "And their hashes too.", file, data=answer(1, 0, 2), leaves=[hashes[1], hashes[0], hashes[2]])
    yield case("leaf-repeated", wrong, "The first leaf twice, in place of the second.", file, data=answer(0, 0, 2))
    yield case("leaf-dropped", missing, "The last leaf is left out.", file, data=answer(0, 1))
    yield case("leaf-added", missing, "The last leaf comes twice.", file, data=answer(0, 1, 2, 2))
    at = LEAF + 5 * STEP
    yield case("leaf-bit-flipped", wrong, "A bit of the second leaf.", file, data=flipped(file, at))
    changed = bytearray(file.data[LEAF : 2 * LEAF])
    changed[5 * STEP] ^= 1
    forged = leaf_hash(DATA, 1, bytes(changed)).hex()
    yield case("leaf-forged", wrong, "A changed leaf with the hash that it has.", file, data=flipped(file, at), leaves=[hashes[0], forged, hashes[2]])
    yield case("leaf-hash-changed", wrong, "A bit of a leaf's hash.", file, leaves=[*hashes[:2], flip(file.leaves[2]).hex()])
    yield case("leaf-hashes-swapped", wrong, "Two hashes changed places.", file, leaves=[hashes[1], hashes[0], hashes[2]])
    yield case("leaf-hash-dropped", missing, "Two hashes for three leaves.", file, leaves=hashes[:2])
    yield case("leaf-hash-added", missing, "Four hashes for three leaves.", file, leaves=[*hashes, hashes[2]])
    yield case("leaf-hashes-missing", missing, "No hashes.", file, leaves=[])
    inner = H(D("file-node"), file.leaves[0] + file.leaves[1]).hex()
    yield case("leaf-hash-of-two", missing, "A node of the tree in place of its two leaves.", file, leaves=[inner, hashes[2]])
    yield case("leaf-hash-cut", missing, "The last byte of the hashes is missing.", file, leaves=[*hashes[:2], hashes[2][:-2]])
    shaped = made("leaves", LEAVES)
    right = H(D("file-node"), shaped.leaves[1] + shaped.leaves[2])
    shaped.data_root = H(D("file-node"), shaped.leaves[0] + right)
    yield case("tree-of-another-shape", wrong, "The root of a tree that leans to the right.", file, file=shaped)
    plain = made("leaves", LEAVES)
    plain.data_root = H(D("file-leaf"), b"".join(plain.leaves))
    yield case("tree-of-another-domain", wrong, "Hashes joined like a leaf.", file, file=plain)


def sealed_wrong():
    """What an author sealed and signed, so that every hash is right."""
    wrong = "content-unopenable"
    small, file = made(), made("chunks", CHUNKS)
    key, content = small.key, small.content
    data_key, plain = section_key(key, content, DATA), pattern(DATA, 700).ljust(768, b"\0")

    def resealed(name, comment, sealed, section="data", expect=wrong):
        forged = made(**{section: sealed})
        return case(name, expect, comment, small, file=forged, **answered(forged))

    def answered(forged):
        named = {"metadata": [forged.metadata.hex()], "thumbnail": [forged.thumbnail.hex()]}
        return named | {"data": [forged.data.hex()], "leaves": [leaf.hex() for leaf in forged.leaves]}

    yield resealed("chunk-not-last", "The only chunk is not sealed as the last.", seal_chunk(data_key, 0, False, plain))
    yield resealed("chunk-index-wrong", "Chunk 0 is sealed as chunk 1.", seal_chunk(data_key, 1, True, plain))
    yield resealed("chunk-of-another-domain", "Sealed with another domain.", seal_chunk(data_key, 0, True, plain, "content"))
    for name, section in (("header", HEADER), ("metadata", METADATA), ("thumbnail", THUMBNAIL)):
        sealed = seal_chunk(section_key(key, content, section), 0, True, plain)
        yield resealed(f"data-sealed-as-{name}", f"Sealed under the key of the {name}.", sealed)
    sealed = seal_section(key, flip(content), DATA, pattern(DATA, 700))
    yield resealed("data-sealed-for-another-id", "Sealed for another content id.", sealed)
    yield resealed("data-sealed-under-another-key", "Sealed under another file key.", made("other").data)
    yield resealed("data-sealed-under-the-file-key", "Sealed under the file key itself.", seal_padded(key, plain))
    sealed = seal_section(key, content, DATA, pattern(METADATA, 300))
    yield resealed("metadata-sealed-as-data", "Metadata under the data's key.", sealed, "metadata")
    sealed = seal_section(key, content, METADATA, pattern(THUMBNAIL, 2000))
    yield resealed("thumbnail-sealed-as-metadata", "A thumbnail under the metadata's key.", sealed, "thumbnail")
    for section, number, size in (("metadata", METADATA, 300), ("thumbnail", THUMBNAIL, 2000), ("data", DATA, 700)):
        padded = pattern(number, size).ljust(padded_length(size), b"\0")
        for name, at in (("first", size), ("last", len(padded) - 1)):
            changed = padded[:at] + b"\x80" + padded[at + 1 :]
            sealed = seal_padded(section_key(key, content, number), changed)
            comment = f"The {name} byte of the padding is not zero."
            yield resealed(f"{section}-padding-{name}-byte", comment, sealed, section, "malformed")
    for name, comment, order in (
        ("swapped", "The first two chunks changed places before they were hashed.", (1, 0, 2, 3)),
        ("repeated", "The first chunk stands for the second, too.", (0, 0, 2, 3)),
    ):
        pieces = chunks(file, *order)
        forged = made("chunks", CHUNKS, data=joined(file, pieces))
        leaves = [leaf.hex() for leaf in forged.leaves]
        yield case(f"chunks-sealed-{name}", wrong, comment, file, file=forged, data=pieces, leaves=leaves)
    yield from flags(file)


def flags(file):
    """The last flag, where it does not belong or is missing, with right hashes."""
    key = section_key(file.key, file.content, DATA)
    padded = pattern(DATA, 200_000).ljust(padded_length(200_000), b"\0")
    tail = seal_chunk(key, 3, False, padded[3 * CHUNK :])
    pieces = [*chunks(file, 0, 1, 2), tail.hex()]
    forged = made("chunks", CHUNKS, data=joined(file, pieces))
    leaves = [leaf.hex() for leaf in forged.leaves]
    yield case("last-chunk-not-last", "content-unopenable", "The last chunk of four lacks the flag.", file, file=forged, data=pieces, leaves=leaves)
    short = made("chunks", (300, 2000, CHUNK * 3))
    pieces = chunks(short, 0, 1)
    data = joined(short, pieces)
    header = seal_header(short.key, short.content, header_plain(300, 2000, CHUNK * 2))
    forged = made("chunks", (300, 2000, CHUNK * 2), data=data, header=header)
    leaves = [leaf.hex() for leaf in data_leaves(data)]
    yield case("truncated-before-sealing-ended", "content-unopenable", "Two of three chunks, with sizes and hashes that fit them.", short, file=forged, data=pieces, leaves=leaves)


def headers():
    wrong, small = "malformed", made()

    def bad(name, expect, comment, plain=None, sealed=None):
        forged = made(header=sealed or seal_header(small.key, small.content, plain))
        return case(name, expect, comment, small, file=forged)

    yield bad("header-suite-unknown", "suite-unknown", "Suite 2.", header_plain(*SMALL, suite=2))
    yield bad("header-zeros-not-zeros", wrong, "One of the zeros is not.", header_plain(*SMALL, zeros=bytes(38) + b"\x01"))
    yield bad("header-metadata-larger", wrong, "The metadata is said to be larger.", header_plain(513, 2000, 700))
    yield bad("header-thumbnail-smaller", wrong, "The thumbnail is said to be smaller.", header_plain(300, 1792, 700))
    yield bad("header-data-larger", wrong, "The data is said to be larger.", header_plain(300, 2000, 769))
    yield bad("header-data-smaller", wrong, "The data is said to be smaller.", header_plain(300, 2000, 512))
    yield bad("header-data-none", wrong, "The data is said to be empty.", header_plain(300, 2000, 0))
    yield bad("header-sizes-largest", wrong, "2^64 − 1 everywhere.", header_plain(*[(1 << 64) - 1] * 3))
    yield bad("header-above-limit", wrong, "2^40 + 1 bytes of data.", header_plain(300, 2000, (1 << 40) + 1))
    yield bad("header-sizes-swapped", wrong, "Thumbnail and data changed places.", header_plain(300, 700, 2000))
    key = section_key(small.key, small.content, HEADER)
    closed = "content-unopenable"
    yield bad("header-not-last", closed, "It is not sealed as the last chunk.", sealed=seal_chunk(key, 0, False, header_plain(*SMALL)))
    yield bad("header-index-wrong", closed, "It is sealed as chunk 1.", sealed=seal_chunk(key, 1, True, header_plain(*SMALL)))
    data_key = section_key(small.key, small.content, DATA)
    yield bad("header-sealed-as-data", closed, "Under the data's key.", sealed=seal_chunk(data_key, 0, True, header_plain(*SMALL)))
    yield bad("header-of-another-file", closed, "The header of another file.", sealed=made("other").header)
