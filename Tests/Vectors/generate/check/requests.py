"""docs/spec/06-requests.md §6.1."""

import base64
import hashlib
import re

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

COMPONENTS = ["@method", "@authority", "@path", "@query", "content-digest"]
INPUT = re.compile(
    r'todo=(\("@method" "@authority" "@path" "@query" "content-digest"\);created=(\d+);expires=(\d+)'
    r';nonce="([0-9a-f]{32})";keyid="([a-z2-7]{32}/(?:[0-9a-f]{32}|root))";alg="ed25519")'
)


def request(case):
    headers = case["headers"]
    found = INPUT.fullmatch(headers.get("signature-input", ""))
    signature = re.fullmatch(r"todo=:([A-Za-z0-9+/=]+):", headers.get("signature", ""))
    digest = re.fullmatch(r"sha-256=:([A-Za-z0-9+/=]+):", headers.get("content-digest", ""))
    if not found or not signature or not digest:
        return ["malformed"]
    parameters, created, expires, _, keyid = found.groups()
    created, expires = int(created), int(expires)
    if not 1 <= expires - created <= 60:
        return ["malformed"]
    values = [case["method"], case["authority"], case["path"], "?" + case["query"], headers["content-digest"]]
    base = "".join(f'"{name}": {value}\n' for name, value in zip(COMPONENTS, values))
    base += f'"@signature-params": {parameters}'
    reasons = []
    try:
        VerifyKey(bytes.fromhex(case["keyid_keys"][keyid])).verify(base.encode(), base64.b64decode(signature[1]))
    except (BadSignatureError, ValueError):
        reasons.append("signature-bad")
    if case["now"] > expires * 1000 or created * 1000 > case["now"] + 60_000:
        reasons.append("clock-skew")
    if base64.b64decode(digest[1]) != hashlib.sha256(bytes.fromhex(case["body"])).digest():
        reasons.append("digest-wrong")
    return reasons
