"""docs/spec/08-messages.md §8.5 and §8.6: what a reader believes of a post."""

import hashlib

from ..nodes import node_commitment
from ..primitives import D, H, record_hash, signature_fits, trunk_id, u8, u32, unpad, unseal
from ..schema import records, sharing, treesystem
from . import keyrings, lengths, parse


def hashed(name, data):
    return hashlib.blake2b(D(name) + data, digest_size=16).digest()


def post(case):
    signer, reader = bytes.fromhex(case["signer"]), bytes.fromhex(case["reader"])
    message = parse(sharing.Message, bytes.fromhex(case["message"]))
    if message.sender != signer:
        return ["sender-mismatch"]
    what, to = message.post, list(message.post.recipients)
    wrong = lengths((what.id, [16]), (what.topic, [0, 16]), *((user, [20]) for user in to))
    fits = 1 <= len(to) <= 256 and all(a < b for a, b in zip(to, to[1:])) and signer not in to
    if wrong or not fits or len(what.text.encode()) > 32768 or len(what.data) > 16384:
        return ["malformed"]
    if reader != signer and reader not in to:
        return ["recipient-mismatch"]
    assert hashed("post", signer + what.id).hex() == case["id"]
    assert hashed("conversation", b"".join(sorted([*to, signer])) + what.topic).hex() == case["conversation"]
    return []


def origin(case):
    wire = parse(treesystem.Origin, bytes.fromhex(case["origin"]))
    if lengths((wire.signature, [64]), (wire.node_key, [32])):
        return ["malformed"]
    record = records.SignedRecord(body=wire.body, signature=wire.signature)
    header, reader = records.NodeHeader.FromString(wire.body), bytes.fromhex(case["reader"])
    to_reader = header.recipient == reader and header.branch == trunk_id(reader, "inbox")
    if not to_reader or hashed("origin", record_hash(record)).hex() != case["node"]:
        return ["origin-wrong"]
    if node_commitment(header.branch, header.cloud_id, wire.node_key) != header.key_commitment:
        return ["key-mismatch"]
    reasons, plain = opened(header, wire.node_key, bytes.fromhex(case["sealed"]))
    if reasons:
        return reasons
    user, author = bytes.fromhex(case["sender"]) if "sender" in case else header.author.user, header.author
    entries = [records.SignedRecord.FromString(bytes.fromhex(text)) for text in case["keyrings"][user.hex()]]
    keyring, reasons = keyrings.fold(user, entries)
    assert not reasons and author.user == user
    if not keyring.active(author.device, author.keyring_position):
        return ["device-unknown"]
    if not signature_fits(keyring.devices[author.device][0], "node-header", record):
        return ["signature-bad"]
    assert plain.hex() == case["message"]
    return []


def opened(header, key, sealed):
    reference = next(reference for reference in header.contents if reference.section == 2)
    if len(sealed) != reference.length or H(D("content-hash"), sealed) != reference.hash:
        return ["content-mismatch"], None
    ad = u8(header.suite) + reference.content + u32(reference.section) + reference.device
    padded = unseal(key, "content", ad, sealed)
    if padded is None:
        return ["content-unopenable"], None
    plain = unpad(padded)
    return (["padding-wrong"] if plain is None else []), plain
