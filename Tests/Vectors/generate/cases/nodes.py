"""node, destination: what a reader opens (§5.2 to §5.6)."""

from ..nodes import node_commitment, seal_destination, seal_section, wrap
from ..people import World
from ..permissions import setting
from ..primitives import D, H, K, Stream, flip, own_node_id, pad, record_hex, seal, u64, user_id_text
from ..schema import encode, treesystem

NAME = "Grüße 🥦 ירקות"


def opened(
    name,
    expect,
    comment,
    *,
    edit=None,
    change=None,
    data=b"oat milk",
    node_name=NAME,
    root=False,
    prepare=None,
    branch_key=None,
    parent_name_key=None,
    own=False,
):
    """One node of alice's list. `prepare` may seal otherwise before the header is signed, `change` changes the
    ciphertexts afterwards."""
    world = World(nodes=False)
    branch = world.branch
    node = branch.root if root else branch.node(node_name, data=data)
    node.name = "Groceries" if root else node_name
    if own:
        node.cloud_id = own_node_id(branch.id, world.alice.user)
    box = {}

    def sealed(header):
        if prepare:
            prepare(world, node, header, box)
        if edit:
            edit(header)

    line = branch.put(node, edit=sealed)
    contents = [(content, box.get(content, text)) for content, text in branch.contents[line]]
    contents += [(content, text) for content, text in box.items() if content not in dict(contents)]
    if change:
        contents = change(contents)
    fields = {
        "header": record_hex(branch.records[line]),
        "branch_key": (branch_key or branch.keys[1]).hex(),
        "contents": [{"content": content.hex(), "ciphertext": text.hex()} for content, text in contents],
    }
    if not root:
        fields["parent_name_key"] = (parent_name_key or branch.root.name_key).hex()
    if expect == "ok":
        fields |= {"name": node.name, "data": b"".hex() if root else data.hex()}
    return "node", name, expect, comment, fields


def resealed(section=2, plain=b"oat milk", key=None, **options):
    """The section sealed in another way than its reference says; length and hash are right."""

    def prepare(world, node, header, box):
        index = next(i for i, reference in enumerate(header.contents) if reference.section == section)
        reference, ciphertext = seal_section(
            key or node.key, section, header.author.device, plain, Stream("again"), **options
        )
        header.contents[index].CopyFrom(reference)
        box[reference.content] = ciphertext

    return prepare


def cases():
    yield from good()
    yield from keys()
    yield from contents()
    yield from names()
    yield from own_nodes()
    yield from destinations()


def good():
    yield opened("good-child", "ok", "A todo with a name and data.")
    yield opened("good-root", "ok", "A branch root has a name, but no token.", root=True)
    yield opened("good-long-data", "ok", "Data above 4096 bytes: Padmé.", data=Stream("long").take(5000))
    yield opened("good-empty-data", "ok", "An empty data section.", data=b"")
    yield opened("good-name-1024", "ok", "The longest name: 1,024 bytes.", node_name="n" * 1024)
    yield opened("good-data-ends-in-zeros", "ok", "Padding takes nothing from the data.", data=b"milk\x80\0\0")


def own_nodes():
    alice = World(nodes=False).alice
    yield opened("good-own-node", "ok", "Alice's own node.", own=True, node_name=user_id_text(alice.user))
    yield opened("own-node-name-wrong", "name-token-wrong", "Alice's own node has a name of her choice.", own=True)


def keys():
    wrong = "key-mismatch"

    def wrapped(**changes):
        def prepare(world, node, header, box):
            values = {
                "branch_key": world.branch.keys[1],
                "branch": header.branch,
                "cloud_id": header.cloud_id,
                "epoch": 1,
                "node_key": node.key,
                "nonce": Stream("nonce").take(24),
            } | changes
            header.wrapped_key = wrap(**values)

        return prepare

    def of_another_node(world, node, header, box):
        header.key_commitment = node_commitment(header.branch, world.milk.cloud_id, node.key)

    yield opened("commitment-wrong", wrong, "The commitment is to another key.", edit=setting("key_commitment", flip))
    yield opened("commitment-for-another-node", wrong, "The commitment names another node.", prepare=of_another_node)
    yield opened(
        "node-key-another",
        wrong,
        "Another node key is wrapped than the header commits to.",
        prepare=wrapped(node_key=Stream("other").take(32)),
    )
    yield opened("branch-key-another", wrong, "Wrapped under another branch key.", branch_key=Stream("other").take(32))
    yield opened(
        "wrapped-for-another-node", wrong, "The wrapped key of another node.", prepare=wrapped(cloud_id=bytes(16))
    )
    yield opened(
        "wrapped-for-another-branch", wrong, "The wrapped key of another branch.", prepare=wrapped(branch=bytes(16))
    )
    yield opened("wrapped-for-another-epoch", wrong, "The wrapped key of another epoch.", prepare=wrapped(epoch=2))


def contents():
    wrong = "content-mismatch"
    last = lambda contents, change: [*contents[:-1], (contents[-1][0], change(contents[-1][1]))]
    yield opened("ciphertext-changed", wrong, "One bit of a ciphertext changed.", change=lambda c: last(c, flip))
    yield opened("ciphertext-cut", wrong, "The last byte is missing.", change=lambda c: last(c, lambda text: text[:-1]))
    yield opened(
        "ciphertexts-swapped",
        wrong,
        "Two sections' ciphertexts changed places.",
        change=lambda c: [(c[0][0], c[1][1]), (c[1][0], c[0][1])],
    )
    yield opened(
        "reference-length-wrong",
        wrong,
        "The reference says one byte more.",
        edit=lambda header: setattr(header.contents[1], "length", header.contents[1].length + 1),
    )
    yield opened(
        "reference-hash-wrong",
        wrong,
        "The reference has another hash.",
        edit=lambda header: setattr(header.contents[1], "hash", flip(header.contents[1].hash)),
    )
    wrong = "content-unopenable"
    yield opened(
        "content-of-another-node",
        wrong,
        "Sealed under another node's key.",
        prepare=resealed(key=Stream("other").take(32)),
    )
    yield opened("content-of-another-section", wrong, "Sealed as history.", prepare=resealed(sealed_section=4))
    yield opened(
        "content-of-another-device", wrong, "Sealed for another device.", prepare=resealed(sealed_device=bytes(16))
    )
    yield opened(
        "content-of-another-id", wrong, "Sealed under another content id.", prepare=resealed(sealed_content=bytes(16))
    )
    yield opened("content-of-another-suite", wrong, "Sealed as suite 2.", prepare=resealed(suite=2))
    yield opened("content-for-another-domain", wrong, "Sealed with another domain.", prepare=other_domain)
    wrong = "padding-wrong"
    yield opened("padding-missing", wrong, "A section without padding.", prepare=resealed(padded=b"m" * 256))
    yield opened("padding-only-zeros", wrong, "A section of zeros.", prepare=resealed(padded=bytes(256)))
    yield opened(
        "padding-not-zeros", wrong, "Something follows the zeros.", prepare=resealed(padded=pad(b"milk")[:-1] + b"\x01")
    )


def other_domain(world, node, header, box):
    reference, ciphertext = seal_section(node.key, 2, header.author.device, b"oat milk", Stream("again"))
    ad = b"\x01" + reference.content + (2).to_bytes(4, "big") + reference.device
    ciphertext = seal(node.key, "wrap-node-key", ad, pad(b"oat milk"), Stream("nonce").take(24))
    reference.hash = H(D("content-hash"), ciphertext)
    header.contents[1].CopyFrom(reference)
    box[reference.content] = ciphertext


def names():
    def named(text):
        metadata = treesystem.NodeMetadata(name=text, name_key=Stream("names").take(32))
        return resealed(1, encode(metadata))

    yield opened(
        "name-another", "name-token-wrong", "The sealed name is not the one of the token.", prepare=named("Groceries")
    )
    yield opened(
        "name-normalised",
        "name-token-wrong",
        "The same letters in another normal form are other bytes.",
        node_name="Grüße",
        prepare=named("Gru\u0308ße"),
    )
    yield opened(
        "name-token-of-another-parent",
        "name-token-wrong",
        "The token is made with another parent's name key.",
        parent_name_key=Stream("other").take(32),
    )
    yield opened(
        "name-token-changed", "name-token-wrong", "One bit of the token changed.", edit=setting("name_token", flip)
    )


def destinations():
    random = Stream("destination")
    key, branch, node, to = random.take(32), random.take(16), random.take(16), random.take(16)

    def case(name, expect, comment, sealed, key=key, branch=branch, node=node, epoch=2):
        fields = {"branch_key": key.hex(), "branch": branch.hex(), "cloud_id": node.hex(), "epoch": epoch}
        fields |= {"destination": sealed.hex()} | ({"to": to.hex()} if expect == "ok" else {})
        return "destination", name, expect, comment, fields

    sealed = seal_destination(key, branch, node, 2, to, random.take(24))
    yield case("good-destination", "ok", "Where a moved node went.", sealed)
    wrong = "content-unopenable"
    yield case("key-wrong", wrong, "Another branch key.", sealed, key=flip(key))
    yield case("of-another-branch", wrong, "Sealed for another branch.", sealed, branch=flip(branch))
    yield case("of-another-node", wrong, "Sealed for another node.", sealed, node=flip(node))
    yield case("of-another-epoch", wrong, "Sealed in another epoch.", sealed, epoch=3)
    yield case("changed", wrong, "One bit of the destination changed.", flip(sealed, 30))
    yield case("cut", wrong, "The last byte is missing.", sealed[:-1])
    ad = branch + node + u64(2)
    other = seal(K(key, D("wrap-node-key")), "wrap-node-key", ad, to, random.take(24))
    yield case("for-another-use", wrong, "Sealed like a node key.", other)
    short = seal(K(key, D("destination")), "destination", ad, to[:-1], random.take(24))
    yield case("id-too-short", wrong, "Fifteen bytes are no id.", short)
