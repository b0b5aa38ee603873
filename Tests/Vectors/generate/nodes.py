"""docs/spec/05-nodes.md: node keys, headers, contents, names."""

from .primitives import D, H, K, ZERO, box_public, pad, record_hash, seal, seal_box, u8, u32, u64
from .schema import encode, records, treesystem

METADATA, DATA, THUMBNAIL, HISTORY = 1, 2, 3, 4


class Node:
    """A node as its authors see it; a branch root has no parent."""

    def __init__(self, branch, cloud_id: bytes, parent, name: str, data: bytes = b""):
        self.cloud_id, self.parent, self.name, self.data = cloud_id, parent, name, data
        self.name_key = branch.random.take(32)
        self.version, self.previous, self.revived, self.dead = 0, ZERO, 0, False
        self.key = self.wrapped = self.commitment = None
        self.epoch, self.references = 0, {}
        self.file = None  # in place of data

    @property
    def token(self) -> bytes:
        return name_token(self.parent.name_key, self.name) if self.parent else b""

    def metadata(self) -> bytes:
        file = self.file and self.file.file_key()
        return encode(treesystem.NodeMetadata(name=self.name, name_key=self.name_key, file=file))

    def took(self, header, hashed: bytes):
        self.version, self.previous = self.version + 1, hashed
        self.epoch, self.revived, self.dead = header.epoch, header.revived, False
        self.references = {reference.section: reference for reference in header.contents}

    def died(self, hashed: bytes):
        self.version, self.previous, self.key, self.dead = self.version + 1, hashed, None, True


def name_token(name_key: bytes, name: str) -> bytes:
    return K(name_key, D("name-token"), name.encode())


def wrap(branch_key: bytes, branch: bytes, cloud_id: bytes, epoch: int, node_key: bytes, nonce: bytes) -> bytes:
    return seal(K(branch_key, D("wrap-node-key")), "wrap-node-key", branch + cloud_id + u64(epoch), node_key, nonce)


def seal_destination(branch_key: bytes, branch: bytes, cloud_id: bytes, epoch: int, to: bytes, nonce: bytes) -> bytes:
    return seal(K(branch_key, D("destination")), "destination", branch + cloud_id + u64(epoch), to, nonce)


def node_commitment(branch: bytes, cloud_id: bytes, node_key: bytes) -> bytes:
    return H(D("node-key"), branch + cloud_id + node_key)


def seal_section(
    node_key: bytes,
    section: int,
    device: bytes,
    plain: bytes,
    random,
    *,
    suite=1,
    padded=None,
    sealed_section=None,
    sealed_device=None,
    sealed_content=None,
):
    """A reference and its ciphertext; the named options seal something else than the reference says."""
    content = random.take(16)
    ad = u8(suite) + (sealed_content or content) + u32(sealed_section or section) + (sealed_device or device)
    ciphertext = seal(node_key, "content", ad, pad(plain) if padded is None else padded, random.take(24))
    reference = records.ContentReference(
        content=content, section=section, device=device, length=len(ciphertext), hash=H(D("content-hash"), ciphertext)
    )
    return reference, ciphertext


def new_key(branch, node, node_key=None):
    node.key = node_key or branch.random.take(32)
    node.wrapped = wrap(
        branch.keys[branch.epoch], branch.id, node.cloud_id, branch.epoch, node.key, branch.random.take(24)
    )
    node.commitment = node_commitment(branch.id, node.cloud_id, node.key)


def build_header(
    branch, node, person, device, seal_sections, *, position=None, read=None, node_key=None, gone=False
):
    """The header that puts the node as it is now, and the contents that are new with it.
    Sections are sealed when they are named, when the node is new, when the epoch has changed, and when the node is `gone`
    with one above it: then the server has no contents of it left."""
    plains = {METADATA: node.metadata()}
    if node.parent:
        plains[DATA] = node.data
    if node.key is None or node.epoch != branch.epoch or node_key:
        new_key(branch, node, node_key)
        seal_sections = plains.keys()
    if gone:
        seal_sections = plains.keys()
    header = records.NodeHeader(
        suite=1,
        branch=branch.id,
        cloud_id=node.cloud_id,
        parent=node.parent.cloud_id if node.parent else b"",
        name_token=node.token,
        version=node.version + 1,
        previous=node.previous,
        permissions=record_hash(branch.permissions[-1][1]),
        epoch=branch.epoch,
        wrapped_key=node.wrapped,
        key_commitment=node.commitment,
        author=branch.author(person, device, position, read),
        operation=branch.random.take(16),
        revived=node.version + 1 if gone or node.dead else node.revived,
    )
    contents = []
    for section in sorted(plains):
        if section == DATA and node.file:
            reference = node.references.get(DATA)
            if reference is None or reference.content != node.file.content:
                reference = node.file.reference(device.id)
        elif section in seal_sections:
            reference, ciphertext = seal_section(node.key, section, device.id, plains[section], branch.random)
            contents.append((reference.content, ciphertext))
        else:
            reference = node.references[section]
        header.contents.append(reference)
    return header, contents


def build_message(branch, sender, device, recipient, sections, random, *, node_key=None, read=0, sealed_to=None):
    """A message header in the inbox `branch` (§5.1), with its contents."""
    cloud_id = random.take(16)
    node_key = node_key or random.take(32)
    pinned = next(e for e in branch.permissions[-1][0].entries if e.user == recipient.user)
    public = sealed_to or box_public(recipient.user_keys[pinned.generation - 1])
    header = records.NodeHeader(
        suite=1,
        branch=branch.id,
        cloud_id=cloud_id,
        parent=branch.id,
        name_token=random.take(32),
        version=1,
        previous=ZERO,
        permissions=record_hash(branch.permissions[-1][1]),
        epoch=branch.epoch,
        wrapped_key=seal_box(public, node_key, random),
        key_commitment=node_commitment(branch.id, cloud_id, node_key),
        author=branch.author(sender, device, None, read),
        operation=random.take(16),
        recipient=recipient.user,
        recipient_generation=pinned.generation,
    )
    contents = []
    for section, plain in sections.items():
        reference, ciphertext = seal_section(node_key, section, device.id, plain, random)
        header.contents.append(reference)
        contents.append((reference.content, ciphertext))
    return header, contents
