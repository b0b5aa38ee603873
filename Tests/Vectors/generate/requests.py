"""docs/spec/06-requests.md §6.1: a signed request."""

import base64
import hashlib

from .people import signed_up
from .primitives import Stream, user_id_text

NOW = 1_750_001_000


class Request:
    """A good request; cases change its parts before or after it is signed."""

    def __init__(self, body=b"\x0a\x00", method="POST", path="/v1/batch", query="", root=False):
        self.person = signed_up("alice")
        self.key = self.person.root_key if root else self.person.device.key
        self.method, self.authority, self.path, self.query, self.body = (
            method,
            "todo.example.org:8443",
            path,
            query,
            body,
        )
        device = "root" if root else self.person.device.id.hex()
        self.keyid = f"{user_id_text(self.person.user)}/{device}"
        self.created, self.lifetime, self.now = NOW, 60, NOW * 1000 + 500
        self.nonce = Stream("nonce").take(16).hex()
        self.components = ["@method", "@authority", "@path", "@query", "content-digest"]
        self.parameters = ["created", "expires", "nonce", "keyid", "alg"]
        self.algorithm, self.label = "ed25519", "todo"
        self.headers = {}

    def digest(self, data=None):
        hashed = hashlib.sha256(self.body if data is None else data).digest()
        return f"sha-256=:{base64.b64encode(hashed).decode()}:"

    def signature_parameters(self):
        values = {
            "created": self.created,
            "expires": self.created + self.lifetime,
            "nonce": f'"{self.nonce}"',
            "keyid": f'"{self.keyid}"',
            "alg": f'"{self.algorithm}"',
        }
        listed = " ".join(f'"{component}"' for component in self.components)
        return f"({listed})" + "".join(f";{name}={values[name]}" for name in self.parameters)

    def base(self):
        values = {
            "@method": self.method,
            "@authority": self.authority,
            "@path": self.path,
            "@query": "?" + self.query,
            "content-digest": self.headers["content-digest"],
        }
        lines = [f'"{component}": {values[component]}' for component in self.components]
        return "\n".join([*lines, f'"@signature-params": {self.signature_parameters()}'])

    def sign(self, digest=None):
        self.headers["content-digest"] = digest or self.digest()
        signature = self.key.sign(self.base().encode()).signature
        self.headers["signature-input"] = f"{self.label}={self.signature_parameters()}"
        self.headers["signature"] = f"{self.label}=:{base64.b64encode(signature).decode()}:"
        return self

    def fields(self):
        return {
            "method": self.method,
            "authority": self.authority,
            "path": self.path,
            "query": self.query,
            "body": self.body.hex(),
            "headers": self.headers,
            "keyid_keys": {self.keyid: bytes(self.key.verify_key).hex()},
            "now": self.now,
        }
