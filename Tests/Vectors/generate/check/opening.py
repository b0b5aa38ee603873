"""docs/spec/05-nodes.md §5.2 to §5.6 and 08-messages.md: what a client opens."""

from ..nodes import name_token, node_commitment
from ..primitives import D, H, K, own_node_id, unpad, unseal, unseal_box, u8, u32, u64, user_id_text
from ..schema import sharing, treesystem
from . import parse
from .files import file_key_reasons


def node(header, branch_key, parent_name_key, contents):
    """Reasons, name, data."""
    key = unseal(
        K(branch_key, D("wrap-node-key")),
        "wrap-node-key",
        header.branch + header.cloud_id + u64(header.epoch),
        header.wrapped_key,
    )
    reasons, sections = open_contents(header, key, contents)
    if reasons:
        return reasons, None, None
    metadata = parse(treesystem.NodeMetadata, sections[1])
    listed = next((reference for reference in header.contents if reference.section == 2), None)
    if metadata.HasField("pointer") != (listed is None and bool(header.parent)):
        return ["malformed"], None, None
    reasons = file_key_reasons(listed, metadata.file if metadata.HasField("file") else None)
    if reasons:
        return reasons, None, None
    if header.name_token and header.name_token != name_token(parent_name_key, metadata.name):
        return ["name-token-wrong"], None, None
    own = header.cloud_id == own_node_id(header.branch, header.author.user)
    if own and metadata.name != user_id_text(header.author.user):
        return ["name-token-wrong"], None, None
    return [], metadata.name, sections.get(2)


def message(header, secret, contents):
    """Reasons, the message."""
    reasons, sections = open_contents(header, unseal_box(secret, header.wrapped_key), contents)
    if reasons:
        return reasons, None
    what = parse(sharing.Message, sections[2])
    return ([] if what.sender == header.author.user else ["sender-mismatch"]), what


def destination(branch_key, branch, cloud_id, epoch, sealed):
    """Reasons, the branch that a moved node went to."""
    key = K(branch_key, D("destination"))
    to = unseal(key, "destination", branch + cloud_id + u64(epoch), sealed)
    return (["content-unopenable"] if to is None or len(to) != 16 else []), to


def open_contents(header, key, contents):
    if key is None or node_commitment(header.branch, header.cloud_id, key) != header.key_commitment:
        return ["key-mismatch"], {}
    reasons, sections = [], {}
    for reference in header.contents:
        if reference.HasField("file"):
            continue
        ciphertext = contents[reference.content]
        if len(ciphertext) != reference.length or H(D("content-hash"), ciphertext) != reference.hash:
            reasons.append("content-mismatch")
            continue
        ad = u8(header.suite) + reference.content + u32(reference.section) + reference.device
        padded = unseal(key, "content", ad, ciphertext)
        if padded is None:
            reasons.append("content-unopenable")
            continue
        sections[reference.section] = unpad(padded)
        if sections[reference.section] is None:
            reasons.append("padding-wrong")
    return list(dict.fromkeys(reasons)), sections
