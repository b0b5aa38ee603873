"""From the fields of a case, as they stand in its file, to the reasons for refusing it."""

import base64

from mnemonic import Mnemonic

from .. import primitives as p
from ..schema import records
from . import branch, codes, comments, files, keyrings, locks, opening, posts, requests, stamps
from .documents import document


def judge(kind: str, case: dict) -> list:
    return JUDGES[kind](case)


def ids(case):
    user = p.user_id(hexed(case["root_public_key"]))
    assert p.user_id_text(user) == case["user_id_text"] and len(case["user_id_text"]) == 32
    return []


def derived(case):
    key, domain, x = hexed(case["key"]), p.D(case["domain"]), hexed(case["from"])
    if case["domain"] in ("pointer", "conversation-node"):
        assert p.K(key, domain, x)[:16].hex() == case["id"]
        return []
    short = lambda found: base64.b32encode(found)[:4].decode()
    fits = lambda text: text[0].isalpha() and not text.isalpha()
    ids = [p.K(key, domain, x + bytes([n]))[:16] for n in range(256)]
    assert next(found for found in ids if fits(short(found))).hex() == case["id"]
    return []


def words(case):
    book, text = Mnemonic("english"), " ".join(case["words"].lower().split())
    fits = len(text.split()) == 24 and book.check(text)
    assert not fits or book.to_entropy(text).hex() == case["entropy"]
    return [] if fits else ["words-wrong"]


def safety(case):
    halves = []
    for user in (hexed(case["a"]), hexed(case["b"])):
        assert len(user) == 20
        number, digits = int.from_bytes(p.H(p.D("safety-number"), user)[:30], "big"), ""
        for _ in range(6):
            number, group = divmod(number, 1 << 40)
            digits = str(group)[-5:].rjust(5, "0") + digits
        halves.append(digits)
    assert case["digits"] == min(halves) + max(halves) and len(case["digits"]) == 60
    return []


def padding(case):
    return ["padding-wrong"] if p.unpad(hexed(case["padded"])) is None else []


def seal(case):
    opened = p.unseal(hexed(case["key"]), case["domain"], hexed(case["ad"]), hexed(case["sealed"]))
    return ["content-unopenable"] if opened is None else []


def keyring(case):
    return keyrings.fold(hexed(case["user"]), entries(case))[1]


# The fields of the cases that were judged, for those that begin with another one's entries.
KNOWN = {}


def entries(case):
    before = entries(KNOWN["keyring", case["after"]]) if "after" in case else []
    return before + signed(case["entries"])


def box(case):
    key, branch_id, user, public = (
        hexed(case[name]) for name in ("branch_key", "branch", "user", "user_public_key")
    )
    secret = p.K(key, p.D("branch-key-box"), branch_id + p.u64(case["epoch"]) + user + public)
    if p.seal_box_from(secret, public, key) != hexed(case["sealed"]):
        return ["key-mismatch"]
    assert p.unseal_box(hexed(case["user_secret_key"]), hexed(case["sealed"])) == key
    return []


def permissions(case):
    log = log_of(case)
    if "outer" in case:
        log.outer = {p.record_hash(r): records.PermissionsRecord.FromString(r.body) for r in signed(case["outer"])}
    chain = signed(case["records"])
    for number, record in enumerate(chain, 1):
        line = p.u64(number) + p.u8(branch.PERMISSIONS) + log.branch + p.record_hash(record)
        log.hashes.append(p.H(p.D("line"), log.hashes[-1] + line))
        reasons = branch.line_reasons(log, number, line, record)
        if reasons:
            return reasons
    return []


def pull(case):
    rows = {row["line"]: records.SignedRecord.FromString(hexed(row["record"])) for row in case["rows"]}
    log = log_of(case)
    reasons = branch.pull_reasons(log, hexed(case["lines"]), rows, case["head_line"], hexed(case["head_hash"]))
    if "living" in case:
        assert case["living"] == sorted(node.hex() for node in log.nodes if node != log.branch and log.lives(node))
    return reasons


def node(case):
    parent = hexed(case["parent_name_key"]) if case.get("parent_name_key") else None
    reasons, name, data = opening.node(header_of(case), hexed(case["branch_key"]), parent, contents_of(case))
    assert reasons or (name == case["name"] and (data or b"").hex() == case["data"])
    return reasons


def destination(case):
    fields = [hexed(case[name]) for name in ("branch_key", "branch", "cloud_id")]
    reasons, to = opening.destination(*fields, case["epoch"], hexed(case["destination"]))
    assert reasons or to.hex() == case["to"]
    return reasons


def message(case):
    header = header_of(case)
    assert header.author.user.hex() == case["sender"]
    assert p.box_public(hexed(case["user_secret_key"])).hex() == case["user_public_key"]
    return opening.message(header, hexed(case["user_secret_key"]), contents_of(case))[0]


def hexed(text):
    return bytes.fromhex(text)


def signed(texts):
    return [records.SignedRecord.FromString(hexed(text)) for text in texts]


def log_of(case):
    folded = {}
    for user, entries in case["keyrings"].items():
        folded[hexed(user)], reasons = keyrings.fold(hexed(user), signed(entries))
        assert not reasons
    return branch.Log(hexed(case["branch"]), hexed(case["first"]), folded)


def header_of(case):
    return records.NodeHeader.FromString(signed([case["header"]])[0].body)


def contents_of(case):
    return {hexed(c["content"]): hexed(c["ciphertext"]) for c in case["contents"]}


JUDGES = {
    "ids": ids,
    "box": box,
    "code": codes.code,
    "login": codes.login,
    "lock": locks.key_file,
    "unit": locks.unit,
    "file": files.file,
    "words": words,
    "safety": safety,
    "padding": padding,
    "seal": seal,
    "keyring": keyring,
    "permissions": permissions,
    "branch": pull,
    "node": node,
    "destination": destination,
    "message": message,
    "post": posts.post,
    "origin": posts.origin,
    "derived": derived,
    "document": document,
    "comment": comments.comment,
    "stamp": stamps.stamp,
    "request": requests.request,
}
