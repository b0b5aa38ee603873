"""branch, node: files that headers list (docs/spec/10-files.md §10.3)."""

from ..files import sealed_length
from ..nodes import seal_section
from ..people import World
from ..primitives import Stream, flip
from ..schema import encode, treesystem
from .branches import add, built, delete, permit
from .files import made
from .nodes import NAME, opened


def cases():
    yield from listed()
    yield from shapes()
    yield from forms()
    yield from opening()


def attach(name="photo", by="alice", file="file", **options):
    """A node whose data is a file."""

    def step(world):
        node = world.branch.node(name)
        node.file = made(file)
        setattr(world, name, node)
        world.branch.put(node, getattr(world, by), **options)

    return step


def rename(by, name="photo", to="picture", **options):
    def step(world):
        node = getattr(world, name)
        node.name = to
        world.branch.put(node, getattr(world, by), seal_sections=(1,), **options)

    return step


def as_of(person):
    """Lists the file with that person's device."""

    def edit(world):
        def change(header):
            header.contents[1].device = getattr(world, person).device.id

        return change

    return edit


def listed():
    yield built("good-file", "ok", "Alice adds a node whose data is a file.", attach())
    yield built("good-file-carried", "ok", "Bob renames it, and carries alice's file over.", attach(), rename("bob"))
    yield built(
        "good-file-new-epoch",
        "ok",
        "In a new epoch bob carries the file over, and seals the metadata anew.",
        attach(),
        permit(new_epoch=True),
        rename("bob"),
    )
    yield built(
        "good-file-borrowed",
        "ok",
        "Bob lists alice's file in a node of his, with a device of his own.",
        attach(),
        attach("copy", "bob"),
    )
    yield built(
        "file-borrowed-with-its-device",
        "content-unknown",
        "Bob lists alice's file in a node of his, with her device.",
        attach(),
        lambda world: attach("copy", "bob", edit=as_of("alice")(world))(world),
    )

    def other_root(header):
        header.contents[1].hash = flip(header.contents[1].hash)

    yield built(
        "file-carried-with-another-root",
        "content-unknown",
        "Bob carries alice's file over with another root.",
        attach(),
        rename("bob", edit=other_root),
    )

    def other_layout(header):
        file = header.contents[1].file
        file.metadata, file.thumbnail = file.thumbnail, file.metadata

    yield built(
        "file-carried-with-another-layout",
        "content-unknown",
        "Bob carries alice's file over with other sections.",
        attach(file="file"),
        rename("bob", edit=other_layout),
    )


def shapes():
    length, metadata, thumbnail = made().layout

    def bad(name, comment, expect="malformed", **changes):
        def edit(header):
            reference = header.contents[1]
            for field, value in changes.items():
                if field in ("metadata", "thumbnail"):
                    setattr(reference.file, field, value)
                elif field == "file":
                    reference.ClearField("file")
                else:
                    setattr(reference, field, value)

        return built(name, expect, comment, attach(edit=edit))

    for name, section in (("thumbnail", 3), ("history", 4)):
        yield bad(f"file-as-{name}", f"A file as section {section}.", section=section)
    yield built("file-as-metadata", "malformed", "A file as section 1.", attach(edit=as_metadata))
    yield bad("file-too-short", "79 bytes.", length=79, metadata=0, thumbnail=0)
    yield bad("file-sections-too-long", "Metadata and thumbnail are longer than the file.", length=80 + metadata)
    yield bad("file-metadata-odd", "Metadata of a length that no size gives.", metadata=metadata - 1)
    yield bad("file-thumbnail-odd", "A thumbnail of a length that no size gives.", thumbnail=thumbnail + 1)
    yield bad("file-data-odd", "Data of a length that no size gives.", length=length + 16)
    above = sealed_length(65537)
    yield bad("file-metadata-above-limit", "Metadata of 65,537 bytes.", length=80 + above, metadata=above, thumbnail=0)
    above = sealed_length((1 << 20) + 1)
    yield bad("file-thumbnail-above-limit", "2^20 + 1 bytes of thumbnail.", length=80 + above, metadata=0, thumbnail=above)
    above = 80 + sealed_length((1 << 40) + 1)
    yield bad("file-data-above-limit", "Data of 2^40 + 1 bytes.", length=above, metadata=0, thumbnail=0)
    largest = (1 << 64) - 1
    yield bad("file-lengths-largest", "2^64 − 1 everywhere.", length=largest, metadata=largest, thumbnail=largest)
    yield bad("content-above-limit", "65,537 bytes without a layout.", "limit-exceeded", length=65537, file=None)


def turned(name, by="bob", file=None, data=b"", **options):
    """A node's next version, whose data is another file, or a document."""

    def step(world):
        node = getattr(world, name)
        node.file, node.data = file and made(file), data
        world.branch.put(node, getattr(world, by), seal_sections=(1,) if file else (1, 2), **options)

    return step


def forms():
    """What a node is, is settled by the first header of a life (§5.1, rule 11)."""
    yield built("good-file-another", "ok", "Bob lists another file of his.", attach(), turned("photo", file="other"))
    yield built("form-document-to-file", "malformed", "A document becomes a file.", add(), turned("butter", file="file"))
    yield built(
        "form-file-to-document", "malformed", "A file becomes a document.", attach(), turned("photo", data=b"words")
    )
    yield built(
        "form-document-to-pointer",
        "malformed",
        "A document lists nothing any more but its metadata.",
        add(),
        turned("butter", edit=lambda header: header.contents.pop(1)),
    )
    yield built(
        "form-pointer-to-document",
        "malformed",
        "What listed nothing but its metadata lists a document.",
        add(edit=lambda header: header.contents.pop(1)),
        turned("butter", data=b"words"),
    )
    yield built(
        "good-form-of-another-life",
        "ok",
        "A document that was deleted comes back as a file.",
        add(),
        delete("butter"),
        turned("butter", file="file"),
    )

    def rooted(header):
        header.contents.append(made().reference(header.author.device))

    yield built(
        "form-root-a-file",
        "malformed",
        "The root of a branch becomes a file.",
        lambda world: world.branch.put(world.branch.root, world.alice, edit=rooted),
    )


def as_metadata(header):
    header.contents[0].file.metadata = 0


def pointer():
    random = Stream("pointer")
    return treesystem.Pointer(branch=random.take(16), first_permissions=random.take(32))


def opening():
    def case(name, expect, comment, change=None, file=None, listed=True, reseal=True):
        file = file or made()

        def prepare(world, node, header, box):
            metadata = treesystem.NodeMetadata(name=NAME, name_key=Stream("names").take(32), file=file.file_key())
            if change:
                change(metadata)
            reference, ciphertext = seal_section(node.key, 1, header.author.device, encode(metadata), Stream("again"))
            header.contents[0].CopyFrom(reference)
            box[reference.content] = ciphertext
            if listed:
                header.contents[1].CopyFrom(file.reference(header.author.device))

        return opened(name, expect, comment, prepare=prepare, data=b"" if listed else b"oat milk")

    def part(name, change):
        return lambda metadata: setattr(metadata.file, name, change(getattr(metadata.file, name)))

    other = made("other").file_key()
    yield case("good-file", "ok", "A node whose data is a file.")
    yield case(
        "pointer-with-file",
        "malformed",
        "A pointer that lists a file.",
        lambda metadata: metadata.pointer.CopyFrom(pointer()),
    )
    yield case("good-file-empty", "ok", "A file with nothing in it.", file=made(sizes=(0, 0, 0)))
    wrong = "malformed"
    yield case("file-key-missing", wrong, "A file without its key.", lambda metadata: metadata.ClearField("file"))
    yield case("file-key-without-file", wrong, "A file key, and no file.", listed=False)
    for name in ("key", "header", "metadata", "thumbnail", "data"):
        yield case(f"file-key-{name}-cut", wrong, f"The last byte of the {name} is missing.", part(name, lambda x: x[:-1]))
        yield case(f"file-key-{name}-missing", wrong, f"No {name}.", part(name, lambda x: b""))
    wrong = "content-mismatch"
    for name in ("header", "metadata", "thumbnail", "data"):
        yield case(f"file-key-{name}-changed", wrong, f"A bit of the {name} changed.", part(name, flip))
    yield case("file-key-of-another-file", wrong, "Another file's.", lambda metadata: metadata.file.CopyFrom(other))
    closed = "content-unopenable"
    yield case("file-key-another", closed, "Another key; the root is right.", part("key", flip))
    file = made()
    file.content = flip(file.content)
    yield case("file-of-another-id", closed, "Sealed for another content id.", file=file)
