"""request: §6.1."""

import base64

from ..identity import Device
from ..primitives import flip
from ..people import signed_up
from ..requests import Request
from ..schema import encode, requests


def before(name, expect, comment, *, digest=None, **changes):
    """Changed, then signed."""
    request = Request()
    for field, value in changes.items():
        setattr(request, field, value(getattr(request, field)) if callable(value) else value)
    return "request", name, expect, comment, request.sign(digest).fields()


def after(name, expect, comment, **changes):
    """Signed, then changed."""
    request = Request().sign()
    for field, value in changes.items():
        setattr(request, field, value(getattr(request, field)) if callable(value) else value)
    return "request", name, expect, comment, request.fields()


def header(name, change):
    return lambda headers: {**headers, name: change(headers[name])}


def cases():
    yield from good()
    yield from signatures()
    yield from clocks()
    yield from digests()
    yield from forms()


def good():
    for name, comment, request in (
        ("good-batch", "A POST with a body.", Request()),
        ("good-empty-body", "An empty body has a digest, too.", Request(b"")),
        ("good-get", "A GET.", Request(b"", "GET", "/v1/handles/bob")),
        ("good-delete-account", "A device deletes its account (§2.7).", Request(deletion(), path="/v1/keyrings/append")),
        ("good-query", "A query.", Request(b"", "GET", "/v1/handles/bob", "page=2&x=%20")),
        ("good-root", "Signed by the root key.", Request(b"", "GET", "/v1/handles/alice", root=True)),
    ):
        yield "request", name, "ok", comment, request.sign().fields()


def deletion():
    """alice's last entry, as it is sent."""
    alice = signed_up("alice")
    alice.delete_account(alice.device)
    return encode(requests.KeyringAppend(user=alice.user, entries=alice.entries[-1:]))


def signatures():
    bad = "signature-bad"
    yield after("method-changed", bad, "Another method than the signed one.", method="GET")
    yield after("authority-changed", bad, "Sent on to another server.", authority="other.example.org")
    yield after("path-changed", bad, "Another path than the signed one.", path="/v1/pull")
    yield after("query-changed", bad, "A query was added.", query="x=1")
    yield after(
        "nonce-changed",
        bad,
        "Another nonce than the signed one.",
        headers=header("signature-input", lambda text: text.replace(Request().nonce, "00" * 16)),
    )
    yield after(
        "expires-changed",
        bad,
        "Another time than the signed one.",
        headers=header("signature-input", lambda text: text.replace("expires=1750001060", "expires=1750001059")),
    )
    yield other_key()
    yield after("signature-changed", bad, "One bit of the signature changed.", headers=header("signature", flipped))


def other_key():
    request = Request()
    fields = request.sign().fields()
    fields["keyid_keys"] = {request.keyid: Device("phone").sign_key.hex()}
    return "request", "key-of-another-device", "signature-bad", "The key that the key id names is another.", fields


def flipped(text):
    return "todo=:" + base64.b64encode(flip(base64.b64decode(text[6:-1]), 5)).decode() + ":"


def clocks():
    yield after("good-created-ahead", "ok", "A clock that is 59 seconds ahead.", now=lambda now: now - 59_500)
    yield after("good-just-before-expiry", "ok", "One second before it expires.", now=lambda now: now + 58_500)
    yield after("created-ahead", "clock-skew", "Created 62 seconds ahead.", now=lambda now: now - 62_500)
    yield after("expired", "clock-skew", "Expired two seconds ago.", now=lambda now: now + 61_500)
    yield after("expired-yesterday", "clock-skew", "A request of yesterday.", now=lambda now: now + 86_400_000)


def digests():
    yield after("body-changed", "digest-wrong", "Another body than the signed one.", body=b"\x0a\x01\x00")
    yield after("body-missing", "digest-wrong", "The body was dropped.", body=b"")
    yield before(
        "digest-of-another-body",
        "digest-wrong",
        "A signed digest that is not the body's.",
        digest=Request().digest(b"other"),
    )


def forms():
    bad = "malformed"
    names = ["@method", "@authority", "@path", "@query", "content-digest"]
    yield before("component-missing", bad, "The query is not covered.", components=names[:3] + names[4:])
    yield before("digest-not-covered", bad, "The digest is not covered.", components=names[:4])
    yield before(
        "components-reordered",
        bad,
        "The components stand in another order.",
        components=[names[1], names[0], *names[2:]],
    )
    yield before(
        "parameters-reordered",
        bad,
        "The parameters stand in another order.",
        parameters=["expires", "created", "nonce", "keyid", "alg"],
    )
    yield before(
        "expires-missing", bad, "A request that is valid for ever.", parameters=["created", "nonce", "keyid", "alg"]
    )
    yield before("nonce-missing", bad, "A request without a nonce.", parameters=["created", "expires", "keyid", "alg"])
    yield before("lifetime-61", bad, "Valid for 61 seconds.", lifetime=61)
    yield before("lifetime-zero", bad, "Valid for no time.", lifetime=0, now=lambda now: now - 500)
    yield before("algorithm-another", bad, "Another algorithm.", algorithm="hmac-sha256")
    yield before("label-another", bad, "The signature has another name.", label="sig1")
    yield before("nonce-capitals", bad, "A nonce in upper case.", nonce=lambda nonce: nonce.upper())
    yield before("nonce-short", bad, "A nonce of 15 bytes.", nonce=lambda nonce: nonce[2:])
    yield before("keyid-without-device", bad, "A key id without a device.", keyid=lambda keyid: keyid.split("/")[0])
    yield before("keyid-device-short", bad, "A device id of 15 bytes.", keyid=lambda keyid: keyid[:-2])
    yield before(
        "digest-of-another-hash",
        bad,
        "A sha-512 digest.",
        digest="sha-512=:" + base64.b64encode(bytes(64)).decode() + ":",
    )
    yield after(
        "signature-not-base64",
        bad,
        "The signature is not base64.",
        headers=header("signature", lambda text: text.replace("=:", "=:*", 1)),
    )
