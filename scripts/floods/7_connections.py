"""Connections that somebody holds, and what they hold of the server with them."""

import contextlib
import os
import socket
import time

from nacl.signing import SigningKey

from flood import Through
from forging import requests

CONNECTIONS = 100
BODY = 2 * 1024 * 1024
MEMORY = 96 * 1024 * 1024  # far less than so many bodies
STREAMS, LOGINS_OF_USER, LOGINS_OF_ORIGIN = 16, 3, 5
PATIENCE = 40  # seconds: more than a request has


def whole_bodies(flood):
    """100 connections send 2 MiB each to the last byte but one, with a bad signature in the head, and the rest
    when all are there."""
    flood.open()
    forger = flood.sender(flood.mallory, key=SigningKey.generate())
    body = os.urandom(BODY)
    with flood.meanwhile(), _sockets(flood, CONNECTIONS) as sockets:
        before = flood.memory()
        for each in sockets:
            each.sendall(_head(forger, "/v1/batch", body) + body[:-1])
        time.sleep(1)
        held = flood.memory() - before
        for each in sockets:
            each.sendall(body[-1:])
        for each in sockets:
            flood.saw(_status(each))
    flood.only("401")
    if held > MEMORY:
        raise Through(f"the server kept {held // 1024**2} MiB of what nobody had signed")


def slow_senders(flood):
    """100 connections send a body byte by byte, half of them with a bad signature in the head, and 100 a head."""
    flood.open()
    forger = flood.sender(flood.mallory, key=SigningKey.generate())
    starts = [_head(sender, "/v1/batch", bytes(BODY)) for sender in (flood.attacker, forger)]
    deadline = time.monotonic() + PATIENCE
    with flood.meanwhile(), _sockets(flood, CONNECTIONS) as bodies, _sockets(flood, CONNECTIONS) as heads:
        for number, each in enumerate(bodies):
            each.sendall(starts[number % 2])
        left = {each: b"\0" for each in bodies} | {each: b"x" for each in heads}
        for each in heads:
            each.sendall(b"GET /health HTTP/1.1\r\nx: ")
        while left and time.monotonic() < deadline:
            time.sleep(0.5)
            for each, byte in list(left.items()):
                if _ended(each, byte):
                    del left[each]
    flood.saw(*["ended"] * (2 * CONNECTIONS - len(left)), *["still open"] * len(left))
    flood.only("ended")


def streams(flood):
    """One account opens 40 event streams."""
    flood.open()
    with flood.meanwhile(), _sockets(flood, 40) as sockets:
        for each in sockets:
            each.sendall(_head(flood.attacker, "/v1/events", b"", "GET"))
            flood.saw(_status(each))
        time.sleep(0.5)
    flood.at_most("200", STREAMS)
    flood.only("200", "429")


def logins(flood):
    """A stranger asks 20 times to be let into bob's account, each time from another address, and 20 times into
    others from one address."""
    flood.open()
    with flood.meanwhile():
        for number in range(20):
            flood.saw(_login(flood, "bob", f"203.0.113.{number}") + " of bob")
        for number in range(20):
            flood.saw(_login(flood, ("alice", "mallory")[number % 2], "198.51.100.7") + " from one address")
    flood.at_most("200 of bob", LOGINS_OF_USER)
    flood.at_most("200 from one address", LOGINS_OF_ORIGIN)


def _login(flood, handle: str, address: str) -> str:
    start = requests.LoginStart(handle=handle, login=os.urandom(16), commitment=os.urandom(32))
    return flood.sender(fields={"x-forwarded-for": address}).send("/v1/logins", start).word


@contextlib.contextmanager
def _sockets(flood, count: int):
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(socket.create_connection(("127.0.0.1", flood.port), 20)) for _ in range(count)]


def _head(sender, path: str, body: bytes, method="POST") -> bytes:
    fields = {**sender.headers(method, path, "", body), "content-length": str(len(body))}
    return (
        f"{method} {path} HTTP/1.1\r\n".encode()
        + "".join(f"{n}: {v}\r\n" for n, v in fields.items()).encode()
        + b"\r\n"
    )


def _status(connection) -> str:
    try:
        said = connection.recv(65536)
    except OSError:
        return "nothing"
    return said.split()[1].decode() if said.startswith(b"HTTP/1.1 ") else "gone"


def _ended(connection, byte: bytes) -> bool:
    """Whether the server has answered or hung up; sends one byte more where it has not."""
    try:
        connection.setblocking(False)
        connection.send(byte)
        connection.recv(4096)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return True
