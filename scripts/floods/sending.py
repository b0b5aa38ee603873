"""Requests as an account signs them (docs/spec/06-requests.md §6.1), each answered while its sender waits."""

import collections
import http.client
import os
import time

from generate.primitives import user_id_text
from generate.requests import Request
from generate.schema import encode, requests

PATIENCE = 60  # seconds: longer than any request may take


class Signed(Request):
    """A request of now."""

    def __init__(self, person, authority, method, path, query, body, key):
        self.person, self.key = person, key or person.device.key
        self.method, self.authority, self.path, self.query, self.body = method, authority, path, query, body
        device = "root" if key is person.root_key else person.device.id.hex()
        self.keyid = f"{user_id_text(person.user)}/{device}"
        self.created, self.lifetime, self.nonce = int(time.time()), 60, os.urandom(16).hex()
        self.components = ["@method", "@authority", "@path", "@query", "content-digest"]
        self.parameters = ["created", "expires", "nonce", "keyid", "alg"]
        self.algorithm, self.label, self.headers = "ed25519", "todo", {}


class Answer:
    """What a server said. `word` is its status and reason, in short."""

    def __init__(self, status: int, body: bytes):
        self.status, self.body = status, body
        self.word = str(status) if status else "gone"
        if status >= 300:
            try:
                self.word += " " + requests.Problem.FromString(body).reason
            except Exception:  # Not of this server: the status has to do.
                pass


class Sender:
    """An account's connection. `person` None signs nothing; `key` signs in place of the device; `fields` go with
    every request."""

    def __init__(self, port: int, person=None, *, key=None, authority=None, fields=None, patience=PATIENCE):
        self.port, self.person, self.key = port, person, key
        self.authority, self.fields = authority or f"127.0.0.1:{port}", fields or {}
        self.patience, self.connection = patience, None

    def headers(self, method: str, path: str, query: str, body: bytes, key=None) -> dict:
        found = {"host": self.authority, "todo-protocol": "1", "content-type": "application/protobuf", **self.fields}
        if self.person:
            key = key or self.key
            found.update(Signed(self.person, self.authority, method, path, query, body, key).sign().headers)
        return found

    def send(self, path: str, message=b"", *, method="POST", query="", key=None) -> Answer:
        """Sends a message or bytes. A server that hangs up says `gone`."""
        body = message if isinstance(message, bytes) else encode(message)
        target = path + ("?" + query if query else "")
        for _ in range(2):
            headers = self.headers(method, path, query, body, key)
            fresh = self.connection is None
            if fresh:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=self.patience)
            try:
                self.connection.request(method, target, body, headers)
                answer = self.connection.getresponse()
                return Answer(answer.status, answer.read())
            except (OSError, http.client.HTTPException) as error:
                self.close()
                # A connection that lay idle may have been ended; a new one is not.
                if fresh or isinstance(error, TimeoutError):
                    break
        return Answer(0, b"")

    def batch(self, operations) -> list:
        """The outcomes in a word each, or one of the whole request."""
        answer = self.send("/v1/batch", requests.Batch(operations=operations))
        return words(answer)

    def close(self):
        if self.connection:
            self.connection.close()
            self.connection = None


def words(answer: Answer) -> list:
    if answer.status != 200:
        return [answer.word]
    found = []
    for outcome in requests.Outcomes.FromString(answer.body).outcomes:
        kind = outcome.WhichOneof("result")
        reason = getattr(getattr(outcome, kind), "reason", "")
        found.append(f"{kind} {reason}".strip())
    return found


def head(answer: Answer):
    """The line and log hash of the last that was accepted."""
    last = requests.Outcomes.FromString(answer.body).outcomes[-1].accepted
    return last.line, last.log_hash


def told(answers: collections.Counter) -> str:
    return ", ".join(f"{count} × {word}" for word, count in answers.most_common()) or "nothing"
