"""Measures a large file on its way to a server and from there to another device: seconds, and the most memory that each side had.

Beside it, in the same minute: what the machine takes to copy as many bytes to its disk and have them durable.
"""

import hashlib
import os
import pathlib
import subprocess
import tempfile
import time

from process import Server

MEBIBYTES = 1024
# The most memory that either side may have.
AIM = 64
BLOCK = 1 << 20


def make(path, mebibytes):
    """A file that nobody could pack."""
    with open(path, "wb") as file:
        for _ in range(mebibytes):
            file.write(os.urandom(BLOCK))


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def copy(source, target):
    begin = time.perf_counter()
    with open(source, "rb") as read, open(target, "wb") as write:
        while block := read.read(BLOCK):
            write.write(block)
        write.flush()
        os.fsync(write.fileno())
    return time.perf_counter() - begin


def carry(todo_sim, server, folder, *words):
    """Seconds, and peak memory in MiB."""
    command = [todo_sim, "carry", "--server", server.url, "--folder", str(folder), *words]
    seconds, memory = subprocess.run(command, capture_output=True, check=True, text=True).stdout.split()
    return float(seconds), int(memory)


def main(todo_sim, todo_server):
    with tempfile.TemporaryDirectory(prefix="todo-bench-") as folder:
        folder = pathlib.Path(folder)
        clear, copied, fetched = folder / "clear", folder / "copied", folder / "fetched"
        make(clear, MEBIBYTES)
        with Server(todo_server, folder) as server:
            raw = copy(clear, copied)
            copied.unlink()
            up, sender = carry(todo_sim, server, folder, "--up", str(clear))
            after_up = server.memory()
            down, receiver = carry(todo_sim, server, folder, "--down", str(fetched))
            after_down = server.memory()
        if digest(clear) != digest(fetched):
            raise SystemExit("what came is not what was sent")
    print(f"| {MEBIBYTES} MiB | MiB/s | : a copy with fsync | client's memory, MiB | server's memory, MiB |")
    print("|---|---:|---:|---:|---:|")
    print(f"| copied on this disk | {MEBIBYTES / raw:,.0f} | 1 | | |")
    print(f"| sealed and sent | {MEBIBYTES / up:,.0f} | {up / raw:.1f} | {sender} | {after_up:.0f} |")
    print(f"| fetched and opened | {MEBIBYTES / down:,.0f} | {down / raw:.1f} | {receiver} | {after_down:.0f} |", flush=True)
    most = max(sender, receiver, after_up, after_down)
    if most > AIM:
        raise SystemExit(f"{most:.0f} MiB of memory, and {AIM} is the aim")
