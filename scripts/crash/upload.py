"""Kills the client, and then the server, again and again while an image of 200 MiB is on its way up, and counts what went over the wire.

The way leads through a proxy that counts bytes: what the server had acknowledged is not sent again.
"""

import hashlib
import pathlib
import random
import selectors
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

from stage import PATIENCE, Failed, Stage

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent))
from photo import picture

MEBIBYTES = 200
# 4 leaves of data.
PART = 4 * 16 * (65_536 + 16)


class Proxy:
    """Passes every connection on, and counts what goes to the server."""

    def __init__(self, target):
        self.target, self.up = target, 0
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(client,), daemon=True).start()

    def serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.target))
        except OSError:
            return client.close()
        with client, server, selectors.DefaultSelector() as ready:
            ready.register(client, selectors.EVENT_READ, server)
            ready.register(server, selectors.EVENT_READ, client)
            while True:
                for key, _ in ready.select():
                    try:
                        data = key.fileobj.recv(1 << 16)
                        key.data.sendall(data)
                    except OSError:
                        return
                    if not data:
                        return
                    if key.fileobj is client:
                        self.up += len(data)


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sync(stage):
    command = [str(stage.programs / "todo"), "--profile", "alice", "sync", "--quiet"]
    return subprocess.Popen(
        command, cwd=stage.folder, env=stage.environment(), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL)


def end(process):
    try:
        return process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        raise Failed("a sync that does not end") from None


def trouble(stage, proxy, kills, victim, dice, size):
    """Kills one side at so many points of the way, all of them before it is over."""
    for done in range(kills):
        client = sync(stage)
        # Somewhere in the next part, wherever it is by now.
        goal = proxy.up + dice.randrange(size // kills)
        while proxy.up < goal and client.poll() is None:
            time.sleep(0.002)
        if client.poll() is not None:
            raise Failed(f"the upload ended after {done} of {kills} kills")
        if victim == "client":
            client.send_signal(signal.SIGKILL)
        else:
            stage.stop_server(signal.SIGKILL)
            stage.start_server("--quiet")
        end(client)


def carry(programs, kills, victim, dice):
    with tempfile.TemporaryDirectory(prefix="todo-upload-") as folder:
        stage = Stage(folder, programs)
        stage.start_server()
        proxy = Proxy(stage.port)
        address = f"http://127.0.0.1:{proxy.port}"
        try:
            for person in ("alice", "bob"):
                stage.must(person, "config", "background-sync", "off")
                stage.must(person, "signup", person, "--server", address)
            stage.must("alice", "add", "Food", "sauce")
            stage.must("alice", "share", "Food", "--with", "bob")
            stage.must("bob", "accept", "Food")
            clear, saved = pathlib.Path(folder) / "photo.png", pathlib.Path(folder) / "saved.png"
            picture(clear, MEBIBYTES)
            stage.must("alice", "image", "add", "Food/sauce", str(clear), "--keep-metadata", "--no-sync")
            before, size = proxy.up, clear.stat().st_size
            trouble(stage, proxy, kills, victim, dice, size)
            while end(sync(stage)) != 0:
                pass
            sent = proxy.up - before
            stage.must("bob", "sync")
            stage.must("bob", "image", "save", "Food/sauce", str(saved))
            if digest(clear) != digest(saved):
                raise Failed("what came is not what was sent")
        finally:
            stage.stop_server(signal.SIGKILL)
    # Of every part that was cut off nothing was acknowledged; it goes again, and nothing else does. Requests have heads.
    if sent > size * 1.07 + kills * (PART + 65_536):
        raise Failed(f"{sent} bytes were sent for {size}")
    print(
        f"{victim} killed at {kills} points of an upload of {size >> 20} MiB: the same file at the end; {sent / size:.2f} times its bytes were "
        f"sent, where a part of {PART >> 20} MiB at each point makes at most {1.07 + kills * PART / size:.2f}", flush=True)


def main(programs, kills, seed):
    dice = random.Random(seed)
    for victim in ("client", "server"):
        carry(programs, kills, victim, dice)
    return 0
